/** Runs a program in the person's own terminal, as a shell would: it has the keys, the screen and the signals. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { commandLine } from './command-line.ts'
import { childEnvironment } from './environment.ts'
import { spawnFailure } from './spawn-failure.ts'

export interface InteractiveSpec {
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** Names of the program's own variables. */
  readonly names: readonly string[]
  readonly given: Readonly<Record<string, string | true>>
}

/** What a program needs to open a browser, or to see that it can't. */
const DESKTOP: readonly string[] = [
  'BROWSER',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
  'DISPLAY',
  'NO_BROWSER',
  'SSH_CLIENT',
  'SSH_CONNECTION',
  'SSH_TTY',
  'WAYLAND_DISPLAY',
  'WSL_DISTRO_NAME',
  'WSL_INTEROP',
  'XAUTHORITY',
]

/** Resolves with its exit code, as a shell counts it; rejects when it can't be started. */
export const runInTerminal = async (spec: InteractiveSpec): Promise<number> => {
  const [program, ...args] = spec.command
  const { cwd, inherited, given, names } = spec
  const { env } = childEnvironment({ inherited, agentNames: [...names, ...DESKTOP], given, extra: {} })
  let child: ChildProcess | undefined
  const forward = (signal: NodeJS.Signals): void => void child?.kill(signal)
  // A terminal sends Ctrl-C to both; the program decides what it means.
  const interrupt = (): void => {
    if (!process.stdin.isTTY) child?.kill('SIGINT')
  }
  // Before it is there: a signal that comes with its first word would end us alone.
  process.on('SIGINT', interrupt).on('SIGTERM', forward).on('SIGHUP', forward)
  try {
    child = spawn(program, args, { cwd, env, stdio: 'inherit' })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  } catch (error) {
    const { code: errno = String(error) } = error as NodeJS.ErrnoException
    const facts = { command: commandLine(program, args), cwd }
    throw spawnFailure({ command: program, cwd, env, errno, facts })
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', forward).off('SIGHUP', forward)
  }
}
