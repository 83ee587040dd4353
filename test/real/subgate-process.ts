/** One `subgate run` of the built program: its lines as they come, and how it ended. */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Workspace } from './workspace.ts'
import type { LiveProcess } from './processes.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/subgate.js', import.meta.url))
const DEADLINE_MS = 60_000

/** The parts of an event or of the last document that tests look at. */
export interface Line {
  readonly type: string
  readonly event?: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly status?: string
  readonly category?: string
  readonly text?: string
  readonly denied?: readonly { readonly title: string; readonly kind: string; readonly flag: string }[]
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
  readonly error?: { readonly code: string; readonly message: string; readonly phase: string }
  readonly structured?: unknown
  readonly exitCode?: number
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly events: readonly NonNullable<Line['event']>[]
  /** The last line: the result or the error. */
  readonly document: Line
  readonly stderr: string
  /** Processes of the run that were alive when the program had ended. */
  readonly left: readonly LiveProcess[]
}

export class SubgateProcess {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #lines: Line[] = []
  readonly #watchers = new Set<() => void>()
  #over = false

  constructor(workspace: Workspace, env: NodeJS.ProcessEnv, args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: workspace.work,
      env: { ...workspace.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.ended = this.#follow(this.#child, workspace).finally(() => {
      this.#over = true
      this.#wake()
    })
    // Whoever waits for it hears of a failure; a test that failed before has no need to.
    this.ended.catch(() => {})
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves at the first event that fits; rejects when the program ends without one. */
  async event(fits: (event: NonNullable<Line['event']>) => boolean): Promise<void> {
    while (!this.#lines.some((line) => line.event !== undefined && fits(line.event))) {
      if (this.#over) throw new Error(`No such event: ${JSON.stringify(await this.ended)}`)
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve)
      })
    }
  }

  async #follow(child: ChildProcess, workspace: Workspace): Promise<Ended> {
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new Error('The program has no pipes')
    const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
    const exited = (once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>).then(
      ([code, signal]) => ({ code, signal, left: workspace.live() }),
    )
    const noise = text(stderr)
    for await (const line of createInterface({ input: stdout })) {
      this.#lines.push(JSON.parse(line) as Line)
      this.#wake()
    }
    const end = await exited
    clearTimeout(deadline)
    const document = this.#lines.at(-1)
    if (document === undefined) throw new Error(`No line on stdout; stderr: ${await noise}`)
    const events = this.#lines.flatMap((line) => line.event ?? [])
    return { ...end, events, document, stderr: await noise }
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher()
    this.#watchers.clear()
  }
}

/** The pids that `subgate providers --json` calls warm. */
export const warmPids = (workspace: Workspace): readonly number[] => {
  const { work: cwd, env } = workspace
  const said = execFileSync(process.execPath, [PROGRAM, 'providers', '--json'], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return (JSON.parse(said) as { readonly warm: readonly { readonly pid: number }[] }).warm.map(
    ({ pid }) => pid,
  )
}
