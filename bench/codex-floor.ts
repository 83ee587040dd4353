/** The least that a turn of Codex takes: its app-server, driven by bare lines of JSON, one thread and turn each. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PROCESS_OVERRIDES } from '../src/providers/codex/thread.ts'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly threadId?: string }
  readonly result?: { readonly thread?: { readonly id: string } }
  readonly error?: { readonly message: string }
}

export class CodexFloor implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cwd: string
  readonly #answers = new Map<number, (message: Message) => void>()
  readonly #completed = new Map<string, () => void>()
  #last = 0

  private constructor(program: string, cwd: string, env: NodeJS.ProcessEnv) {
    this.#cwd = cwd
    this.#child = spawn(program, ['app-server', ...PROCESS_OVERRIDES], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const message = JSON.parse(line) as Message
      if (message.id !== undefined) this.#answers.get(message.id)?.(message)
      if (message.method === 'turn/completed') this.#completed.get(message.params?.threadId ?? '')?.()
    })
  }

  static async start(program: string, cwd: string, env: NodeJS.ProcessEnv): Promise<CodexFloor> {
    const floor = new CodexFloor(program, cwd, env)
    await floor.#call('initialize', { clientInfo: { name: 'floor', title: null, version: '1' } })
    return floor
  }

  /** Resolves when a turn on a thread of its own has ended. */
  async turn(text: string): Promise<void> {
    const { result } = await this.#call('thread/start', { cwd: this.#cwd })
    const threadId = result?.thread?.id ?? ''
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#completed.set(threadId, resolve)
    await this.#call('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] })
    await promise
  }

  async #call(method: string, params: object): Promise<Message> {
    this.#last += 1
    const id = this.#last
    const { promise, resolve } = Promise.withResolvers<Message>()
    this.#answers.set(id, resolve)
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const answer = await promise
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}
