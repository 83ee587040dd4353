/**
 * Brings the write-ahead log into the file. That waits for the disk, which may take long: a thread of its own does
 * it, so that no commit holds the event loop for it.
 */
import type { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'

/** Pages in the log from which on it is worth a thread, which costs 60 ms and 10 MiB: 40 MiB, that few runs write. */
const WORTH = 10_000
/** From here on the log must begin anew, for which the thread keeps writers waiting for a moment; 64 MiB. */
const LONG = 16_000
/** So far it may grow when the thread can't be had. */
const TOO_LONG = 32_000
/** Looking costs about as much as a small commit. */
const LOOK_EVERY = 32

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(workerData, { timeout: 100 })
  parentPort.on('message', (anew) => {
    try {
      // Most of it in peace, so that what writers wait for is short.
      db.prepare('pragma wal_checkpoint(passive)').get()
      if (anew) db.prepare('pragma wal_checkpoint(restart)').get()
    } catch {}
    parentPort.postMessage(0)
  })
`

export class Checkpoints implements Disposable {
  readonly #connection: Connection
  #commits = 0
  #thread: Worker | undefined
  /** The thread is at work, or can't be had. */
  #waits = false
  /** It can't be had: then a commit that finds the log too long brings it in. */
  #alone = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  committed(): void {
    this.#commits += 1
    if (this.#commits % LOOK_EVERY !== 0) return
    const { log, checkpointed } = this.#state()
    if (this.#alone && log - checkpointed > TOO_LONG) this.#connection.one('pragma wal_checkpoint(passive)')
    if (this.#waits || (log - checkpointed <= WORTH && log <= LONG)) return
    this.#waits = true
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker().postMessage(log > LONG)
  }

  [Symbol.dispose](): void {
    void this.#thread?.terminate()
    this.#thread = undefined
    this.#waits = true
  }

  /** Pages in the log, and how many of them are in the file too. */
  #state(): { readonly log: number; readonly checkpointed: number } {
    const none = { log: 0, checkpointed: 0 }
    return this.#connection.one<typeof none>('pragma wal_checkpoint(noop)') ?? none
  }

  #worker(): Worker {
    if (this.#thread !== undefined) return this.#thread
    // Loading threads would cost each start 2 ms, and few need one.
    const threads = process.getBuiltinModule('node:worker_threads')
    const thread = new threads.Worker(THREAD, { eval: true, workerData: this.#connection.file })
    thread.unref()
    thread.on('message', () => {
      this.#waits = false
    })
    thread.on('error', () => {
      this.#alone = true
    })
    this.#thread = thread
    return thread
  }
}
