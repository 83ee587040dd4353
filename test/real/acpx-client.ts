/** acpx, a headless ACP client for people and scripts, in front of the built program: each call is a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { Workspace } from './workspace.ts'

const ACPX = fileURLToPath(new URL('node_modules/acpx/dist/cli.js', import.meta.url))
const PROGRAM = fileURLToPath(new URL('../../bin/subgate.js', import.meta.url))

export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class Acpx implements AsyncDisposable {
  readonly workspace: Workspace = new Workspace()
  readonly #agent: string
  readonly #env: Readonly<Record<string, string>>

  /** `face`: the words behind `subgate acp`. */
  constructor(
    face: readonly string[],
    configure: (workspace: Workspace) => Readonly<Record<string, string>> = () => ({}),
  ) {
    if (!existsSync(ACPX)) throw new Error(`${ACPX} is absent: npm ci --prefix test/real`)
    this.#agent = [process.execPath, PROGRAM, 'acp', ...face].join(' ')
    this.#env = configure(this.workspace)
  }

  async run(...words: readonly string[]): Promise<Said> {
    const { work: cwd, env } = this.workspace
    const child = spawn(process.execPath, [ACPX, '--agent', this.#agent, ...words], {
      cwd,
      env: { ...env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ])
    return { code, stdout, stderr }
  }

  /** Text alone, of a call that went well. */
  async said(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run('--format', 'quiet', ...words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.trimEnd()
  }

  /** The ids of the agent's chats, as `session/list` has them. */
  async chats(): Promise<readonly string[]> {
    const { stdout } = await this.run('--format', 'json', 'sessions', 'list')
    const { sessions } = JSON.parse(stdout) as {
      readonly sessions: readonly { readonly sessionId: string }[]
    }
    return sessions.map(({ sessionId }) => sessionId)
  }

  /** Every process of it is gone, its own session owner too. */
  async gone(): Promise<void> {
    await expect
      .poll(() => this.workspace.live().map(({ command }) => command), { timeout: 20_000 })
      .toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.workspace[Symbol.dispose]()
  }
}
