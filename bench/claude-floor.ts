/** The least that a turn of Claude Code takes: one process, driven by bare lines of JSON, one conversation. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']

export class ClaudeFloor implements AsyncDisposable {
  readonly #child: ChildProcess
  #ended: ((isError: boolean) => void) | undefined

  constructor(program: string, cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(program, [...ARGS, '--include-partial-messages'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const message = JSON.parse(line) as { readonly type?: string; readonly is_error?: boolean }
      if (message.type === 'result') this.#ended?.(message.is_error === true)
    })
  }

  /** Resolves when the turn has ended. */
  async turn(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#ended = resolve
    const message = { role: 'user', content: [{ type: 'text', text }] }
    this.#child.stdin?.write(`${JSON.stringify({ type: 'user', message })}\n`)
    if (await promise) throw new Error('The turn of the bare Claude Code has failed.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}
