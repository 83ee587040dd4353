/**
 * Brings the write-ahead log into the file. That waits for the disk, which may take long: a thread of its own does
 * it, so that no commit holds the event loop for it.
 */
import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'

/** Pages in the log from which on it is worth it; 4 MiB. */
const WORTH = 1000
/** So far the log may grow when the thread can't be had, or comes to nothing. */
const TOO_MANY = 16_000
/** Looking costs about as much as a small commit. */
const LOOK_EVERY = 32

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(workerData, { timeout: 0 })
  parentPort.on('message', () => {
    try {
      db.prepare('pragma wal_checkpoint(passive)').get()
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

  constructor(connection: Connection) {
    this.#connection = connection
  }

  committed(): void {
    this.#commits += 1
    if (this.#commits % LOOK_EVERY !== 0) return
    const pages = this.#pages()
    if (pages > TOO_MANY) this.#connection.one('pragma wal_checkpoint(passive)')
    else if (pages > WORTH && !this.#waits) {
      this.#waits = true
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker().postMessage(0)
    }
  }

  [Symbol.dispose](): void {
    void this.#thread?.terminate()
    this.#thread = undefined
    this.#waits = true
  }

  /** In the log and not in the file. */
  #pages(): number {
    const state = this.#connection.one<{ log: number; checkpointed: number }>('pragma wal_checkpoint(noop)')
    return state === undefined ? 0 : state.log - state.checkpointed
  }

  #worker(): Worker {
    if (this.#thread !== undefined) return this.#thread
    const thread = new Worker(THREAD, { eval: true, workerData: this.#connection.file })
    thread.unref()
    thread.on('message', () => {
      this.#waits = false
    })
    // Without it the log is brought in by commits, once it is long.
    thread.on('error', () => {})
    this.#thread = thread
    return thread
  }
}
