/** Terminals that an agent runs through its client: each a supervised process with bounded output. */
import type { ProcessOwner } from '../../contract/process-record.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

const DEFAULT_LIMIT = 1024 * 1024

/** Joins stderr to stdout; the command's words are arguments, never shell text. */
const JOINED = ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1'] as const

export interface TerminalRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly outputByteLimit: number | undefined
}

interface Terminal {
  readonly process: SupervisedProcess
  readonly limit: number
  output: Buffer
  truncated: boolean
  exit: { readonly exitCode: number | null; readonly signal: string | null } | undefined
}

export class Terminals {
  readonly #supervisor: Supervisor
  readonly #owner: ProcessOwner
  readonly #terminals = new Map<string, Terminal>()
  #count = 0
  #closed = false

  constructor(supervisor: Supervisor, owner: ProcessOwner) {
    this.#supervisor = supervisor
    this.#owner = owner
  }

  async create({ command, args, cwd, env, outputByteLimit }: TerminalRequest): Promise<string> {
    if (this.#closed) throw new RpcError(INVALID_PARAMS, 'the session is closed')
    const [shell, ...script] = JOINED
    const process = await this.#supervisor.spawn({
      command: shell,
      args: [...script, command, ...args],
      cwd,
      env,
      withheld: [],
      owner: this.#owner,
    })
    process.endInput()
    if (this.#closed) {
      await process.stop()
      throw new RpcError(INVALID_PARAMS, 'the session is closed')
    }
    const terminal: Terminal = {
      process,
      limit: outputByteLimit ?? DEFAULT_LIMIT,
      output: Buffer.alloc(0),
      truncated: false,
      exit: undefined,
    }
    process.stdout.on('data', (chunk: Buffer) => keep(terminal, chunk))
    void noteExit(terminal)
    this.#count += 1
    const id = `term_${this.#count}`
    this.#terminals.set(id, terminal)
    return id
  }

  output(id: string): object {
    const { output, truncated, exit } = this.#get(id)
    return { output: output.toString('utf8'), truncated, ...(exit !== undefined && { exitStatus: exit }) }
  }

  async waitForExit(id: string): Promise<object> {
    const { exitCode, signal } = await this.#get(id).process.exited
    return { exitCode: exitCode ?? null, signal: signal ?? null }
  }

  /** Its output stays readable until it is released. */
  async kill(id: string): Promise<object> {
    await this.#get(id).process.stop()
    return {}
  }

  async release(id: string): Promise<object> {
    const terminal = this.#get(id)
    this.#terminals.delete(id)
    await terminal.process.stop()
    return {}
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#terminals.keys()].map((id) => this.release(id)))
  }

  #get(id: string): Terminal {
    const terminal = this.#terminals.get(id)
    if (terminal === undefined)
      throw new RpcError(INVALID_PARAMS, `there is no terminal ${JSON.stringify(id)}`)
    return terminal
  }
}

const noteExit = async (terminal: Terminal): Promise<void> => {
  const { exitCode, signal } = await terminal.process.exited
  terminal.exit = { exitCode: exitCode ?? null, signal: signal ?? null }
}

/** The end is kept, cut on a character border. */
const keep = (terminal: Terminal, chunk: Buffer): void => {
  const joined = Buffer.concat([terminal.output, chunk])
  terminal.truncated ||= joined.length > terminal.limit
  let from = Math.max(joined.length - terminal.limit, 0)
  while (from > 0 && from < joined.length && ((joined[from] ?? 0) & 0xc0) === 0x80) from += 1
  terminal.output = joined.subarray(from)
}
