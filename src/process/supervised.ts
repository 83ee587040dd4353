/** One process that a supervisor started, with its whole tree: read it, write to it, end it. */
import type { Readable, Writable } from 'node:stream'
import { boundedTail } from '../contract/bounded.ts'
import type { ProcessFacts } from '../contract/errors.ts'
import { endTree, within } from './ending.ts'
import type { Graces } from './graces.ts'
import type { ProcessRow } from './process-table.ts'
import { StderrTail } from './stderr-tail.ts'
import type { ProcessTree } from './tree.ts'

export interface ProcessExit {
  readonly exitCode?: number
  readonly signal?: string
}

export interface SupervisedProcess {
  readonly pid: number
  /** Raw bytes. Nothing is read before the first `data` listener, iterator or pipe; the consumer may pause it. */
  readonly stdout: Readable
  /** Never throws: what can't be written any more is dropped. False = buffered beyond the high-water mark. */
  write(data: string | Uint8Array): boolean
  endInput(): void
  /** Resolves on the exit event, when what was written to stderr until then is in the tail; never waits for a pipe to close. */
  readonly exited: Promise<ProcessExit>
  stderrTail(): string
  /** Its words without the values of its secret variables. */
  mask(text: string): string
  /** With the end of its tail, as much as an error may carry. */
  facts(): ProcessFacts
  /** What runs now of its tree, itself apart. */
  below(): readonly ProcessRow[]
  /**
   * Ends the whole tree and resolves when it is gone: input closed, TERM, KILL, each after its grace. Idempotent;
   * also cleans up behind a process that ended by itself. `escaped` are pids that survived.
   */
  stop(): Promise<{ readonly escaped: readonly number[] }>
}

/** What the supervisor hands over of a started child. */
export interface StartedProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly onExit: (listener: (code: number | null, signal: string | null) => void) => void
  readonly commandLine: string
  readonly cwd: string
  readonly mask: (text: string) => string
  readonly withheld: readonly string[]
  readonly tree: ProcessTree
  readonly graces: Graces
  /** Called once, after `stop`. */
  readonly onStopped: (escaped: readonly number[]) => void
}

export class Supervised implements SupervisedProcess {
  readonly pid: number
  readonly stdout: Readable
  readonly exited: Promise<ProcessExit>
  readonly #started: StartedProcess
  readonly #tail = new StderrTail()
  readonly #ended = Promise.withResolvers<void>()
  #exit: ProcessExit | undefined
  #stopping: Promise<{ readonly escaped: readonly number[] }> | undefined

  constructor(started: StartedProcess) {
    this.#started = started
    this.pid = started.pid
    this.stdout = started.stdout
    const { stdin, stdout, stderr } = started
    for (const stream of [stdin, stdout, stderr]) stream.on('error', nothing)
    stderr.on('data', (chunk: Buffer) => this.#tail.push(chunk))
    holdUntilRead(stdout)
    const { promise, resolve } = Promise.withResolvers<ProcessExit>()
    this.exited = promise
    started.onExit((code, signal) => {
      const exit = { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) }
      this.#exit = exit
      this.#ended.resolve()
      // One whole turn of the event loop reads all that the pipes still hold.
      setImmediate(() => setImmediate(() => resolve(exit)))
    })
  }

  get hasExited(): boolean {
    return this.#exit !== undefined
  }

  write(data: string | Uint8Array): boolean {
    const { stdin } = this.#started
    return stdin.writable ? stdin.write(data) : true
  }

  endInput(): void {
    this.#started.stdin.end()
  }

  stderrTail(): string {
    return this.mask(this.#tail.text())
  }

  mask(text: string): string {
    return this.#started.mask(text)
  }

  facts(): ProcessFacts {
    const { commandLine, cwd, withheld } = this.#started
    const stderr = boundedTail(this.stderrTail())
    return {
      command: commandLine,
      cwd,
      ...this.#exit,
      ...(stderr === '' ? {} : { stderr }),
      ...(withheld.length === 0 ? {} : { withheld }),
    }
  }

  below(): readonly ProcessRow[] {
    return this.#started.tree.living().filter(({ pid }) => pid !== this.pid)
  }

  stop(): Promise<{ readonly escaped: readonly number[] }> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<{ readonly escaped: readonly number[] }> {
    const { tree, graces, stdout, stderr, onStopped } = this.#started
    this.endInput()
    const eofMs = this.hasExited ? 0 : graces.eofMs
    const escaped = await endTree(tree, { ...graces, eofMs }, this.#ended.promise)
    // Its end was seen in the process table; the event follows at once, unless it is the one that escaped.
    await within(this.exited, escaped.includes(this.pid) ? 0 : graces.killMs)
    // An escaped process may hold these open; it must not hold the gateway.
    for (const stream of [stdout, stderr]) unref(stream)
    onStopped(escaped)
    return { escaped }
  }
}

/**
 * A stream that nobody reads yet would be set flowing, at the latest when its process exits, and lose its first
 * bytes. A listener for `readable` holds them until somebody listens.
 */
const holdUntilRead = (stream: Readable): void => {
  const release = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return
    stream.off('newListener', release)
    stream.off('readable', nothing)
  }
  stream.on('readable', nothing)
  stream.on('newListener', release)
}

const nothing = (): void => undefined

/** A pipe of a child is a socket, which its declared type leaves out. */
const unref = (stream: unknown): void => {
  ;(stream as { unref?: () => void }).unref?.()
}
