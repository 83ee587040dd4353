/** Hands a prompt to a subagent: another instance of this agent, run by the Subgate command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Problem } from './workspace.ts'

/** `SUBGATE_CLI` is a JSON array of words, for a Subgate that isn't on PATH. */
const subgate = (): readonly string[] =>
  JSON.parse(process.env['SUBGATE_CLI'] ?? '["subgate"]') as readonly string[]

/** A subagent that delegates in its turn needs the same command line. */
const passedOn = (): readonly string[] =>
  process.env['SUBGATE_CLI'] === undefined ? [] : ['--env', 'SUBGATE_CLI']

const itself = (): readonly string[] => [process.execPath, ...process.argv.slice(1)]

interface Outcome {
  readonly status?: string
  readonly text?: string
  readonly error?: { readonly code: string; readonly message: string }
}

const outcomeOf = (stdout: string): Outcome | undefined => {
  try {
    return JSON.parse(stdout) as Outcome
  } catch {
    return undefined
  }
}

/** The subagent's answer; a `Problem` that starts with the error code, or the status, when there is none. */
export const delegate = async (prompt: string, cwd: string, signal: AbortSignal): Promise<string> => {
  const [program = 'subgate', ...words] = subgate()
  const child = spawn(
    program,
    [...words, 'run', '--output-format', 'json', ...passedOn(), prompt, '--', ...itself()],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
  })
  const stop = (): boolean => child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    const outcome = outcomeOf(stdout)
    if (outcome === undefined) throw new Problem(`${program} exited with ${code} and no result.`)
    if (outcome.error !== undefined) throw new Problem(`${outcome.error.code}: ${outcome.error.message}`)
    if (outcome.status !== 'completed') throw new Problem(`The subagent's run ended as ${outcome.status}.`)
    return outcome.text ?? ''
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Problem(`${program} can't be started: ${code}.`, { cause: error })
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
