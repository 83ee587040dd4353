/** A test's own folder: home, configuration, temp and work directories, and an environment that ends there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { liveIn } from './processes.ts'
import type { LiveProcess } from './processes.ts'

const BIN = fileURLToPath(new URL('node_modules/.bin', import.meta.url))

export class Workspace implements Disposable {
  readonly root: string
  readonly work: string
  /** Not inside `tmp`: codex refuses a home there. */
  readonly config: string
  readonly env: { readonly [name: string]: string }

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-real-')))
    this.work = this.#folder('work')
    this.config = this.#folder('config')
    const home = this.#folder('home')
    this.env = {
      PATH: [BIN, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: home,
      TMPDIR: this.#folder('tmp'),
      LANG: 'C.UTF-8',
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_STATE_HOME: join(home, '.state'),
      XDG_DATA_HOME: join(home, '.data'),
      XDG_CACHE_HOME: join(home, '.cache'),
      // Nothing but loopback can be reached, whatever an agent tries.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
    }
  }

  #folder(name: string): string {
    const path = join(this.root, name)
    mkdirSync(path)
    return path
  }

  live(): readonly LiveProcess[] {
    return liveIn(this.root)
  }

  /** Ends what a failed test has left, each by its pid, and removes the folder. */
  [Symbol.dispose](): void {
    for (const { pid } of this.live()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself between the look and the signal.
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
