/** A client on raw lines that behaves as an editor's profile says, and notes whatever that editor would stumble over. */
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Message } from './acp-editor.ts'
import { PROGRAM } from './built.ts'
import type { Rig } from './cli-rig.ts'
import type { EditorProfile } from './editor-profiles.ts'

export interface ClientOptions {
  readonly args: readonly string[]
  /** The option that is chosen of a permission request, by kind; none leaves it open. */
  readonly permits?: 'allow_once' | 'reject_once' | 'nothing'
}

/** By the first part of its name, what a client must have offered before a request is sent to it. */
const offered = (method: string, { clientCapabilities }: EditorProfile['initialize']): boolean => {
  const fs = clientCapabilities['fs'] as Record<string, unknown> | undefined
  if (method === 'session/request_permission') return true
  if (method === 'fs/read_text_file') return fs?.['readTextFile'] === true
  if (method === 'fs/write_text_file') return fs?.['writeTextFile'] === true
  if (method.startsWith('terminal/')) return clientCapabilities['terminal'] === true
  if (method.startsWith('elicitation/')) return clientCapabilities['elicitation'] !== undefined
  return false
}

/** Variants that a client gets only where it asked for them. */
const GATED: Readonly<Record<string, string>> = {
  subagent_update: 'subagents',
  session_message: 'subagents',
  session_message_chunk: 'subagents',
  plan_update: 'plan',
  plan_removed: 'plan',
}

export class EditorClient implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly messages: Message[] = []
  /** What this editor would show as a fault of the agent. */
  readonly faults: string[] = []
  stderr = ''
  readonly #profile: EditorProfile
  readonly #options: ClientOptions
  readonly #exited: Promise<unknown>
  readonly #sessions = new Set<string>()
  /** Requests whose answers say which session the updates before them are for. */
  #opening = 0
  #rest = ''
  #lastId = -1
  #wake: (() => void)[] = []

  constructor(profile: EditorProfile, rig: Rig, options: ClientOptions) {
    this.#profile = profile
    this.#options = options
    // In a process group of its own, as all of them do.
    this.child = spawn(process.execPath, [PROGRAM, 'acp', ...options.args], {
      cwd: rig.work,
      env: profile.env(rig),
      detached: true,
    })
    this.#exited = once(this.child, 'exit')
    this.child.stdin.on('error', () => {})
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.child.stdout.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n${this.#profile.behind}`)
  }

  notify(method: string, params: object): void {
    this.send({ method, params })
  }

  /** The answer, or an error when this editor would have given up. */
  async request(method: string, params: object): Promise<Message> {
    const id = (this.#lastId += 1)
    const isOpening = ['session/new', 'session/load', 'session/resume', 'session/fork'].includes(method)
    if (isOpening) this.#opening += 1
    const at = Date.now()
    this.send({ id, method, params })
    const answer = await this.until((message) => message.id === id && message.method === undefined, method)
    if (Date.now() - at > this.#profile.patienceMs) this.faults.push(`${method} took too long`)
    if (isOpening) this.#opening -= 1
    const opened = answer.result?.sessionId ?? (params as { sessionId?: string }).sessionId
    if (isOpening && answer.result !== undefined && typeof opened === 'string') this.#sessions.add(opened)
    return answer
  }

  /** The result; throws what this editor would show. */
  async result(method: string, params: object): Promise<any> {
    const { result, error } = await this.request(method, params)
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
    return result
  }

  /** All that an editor does before its user can type; resolves with the session and what it offers. */
  async open(more: object): Promise<{ readonly handshake: any; readonly session: any }> {
    const { initialize, authenticates, setsOptions } = this.#profile
    const handshake = await this.result('initialize', initialize)
    if (handshake.protocolVersion !== 1) this.faults.push(`version ${handshake.protocolVersion}`)
    const [method] = handshake.authMethods ?? []
    if (authenticates && method !== undefined) await this.result('authenticate', { methodId: method.id })
    const session = await this.result('session/new', more)
    if (setsOptions) await this.#setEach(session)
    return { handshake, session }
  }

  /** Sets each option to what it is, out of the list that the answer before it gave. */
  async #setEach({ sessionId, configOptions = [] }: any): Promise<void> {
    let options = configOptions
    for (const { id } of configOptions) {
      const option = options.find((candidate: any) => candidate.id === id)
      if (option === undefined) continue
      const value = option.currentValue
      const typed = option.type === 'boolean' ? { type: 'boolean', value } : { value }
      const answer = await this.result('session/set_config_option', { sessionId, configId: id, ...typed })
      options = answer.configOptions
      if (!Array.isArray(options)) this.faults.push(`${id}: the answer has no complete list`)
    }
  }

  prompt(sessionId: string, words: string): Promise<Message> {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] })
  }

  updates(kind?: string): readonly any[] {
    return this.messages
      .filter(({ method }) => method === 'session/update')
      .map(({ params }) => params.update)
      .filter((update) => kind === undefined || update.sessionUpdate === kind)
  }

  said(): string {
    return this.updates('agent_message_chunk')
      .map(({ content }) => content.text ?? '')
      .join('')
  }

  async until(fits: (message: Message) => boolean, what: string): Promise<Message> {
    const deadline = Date.now() + 50_000
    for (;;) {
      const found = this.messages.find(fits)
      if (found !== undefined) return found
      if (Date.now() > deadline || this.child.exitCode !== null)
        throw new Error(
          `waited in vain for ${what}: ${JSON.stringify(this.messages.slice(-3))}\n${this.stderr}`,
        )
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
        setTimeout(resolve, 50)
      })
    }
  }

  /** As this editor does it. */
  async leave(): Promise<void> {
    const { pid, exitCode, signalCode } = this.child
    if (exitCode !== null || signalCode !== null) return
    if (this.#profile.ends === 'eof') this.child.stdin.end()
    else process.kill(-(pid ?? 0), 'SIGKILL')
    await this.#exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }

  #read(text: string): void {
    this.#rest += text
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    for (const wake of this.#wake.splice(0)) wake()
  }

  #take(line: string): void {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      this.faults.push(`no JSON: ${line}`)
      return
    }
    this.messages.push(message)
    const { id, method, params } = message
    if (method === 'session/update') this.#judge(params)
    if (method === undefined || id === undefined || id === null) return
    if (offered(method, this.#profile.initialize)) this.#answer(message)
    else {
      this.faults.push(`${method} was never offered`)
      this.send({ id, error: { code: -32601, message: 'Method not found' } })
    }
  }

  #judge({ sessionId, update }: any): void {
    const { clientCapabilities } = this.#profile.initialize
    // Of a session that is being opened the id may still be unknown here.
    if (!this.#sessions.has(sessionId) && this.#opening === 0) this.faults.push(`an update for ${sessionId}`)
    const needs = GATED[update.sessionUpdate]
    if (needs !== undefined && clientCapabilities[needs] === undefined)
      this.faults.push(`${update.sessionUpdate} was never offered`)
  }

  #answer({ id, method, params }: Message): void {
    if (method === 'fs/read_text_file')
      return this.send({ id, result: { content: readFileSync(params.path, 'utf8') } })
    if (method === 'fs/write_text_file') {
      writeFileSync(params.path, params.content)
      return this.send({ id, result: {} })
    }
    if (method !== 'session/request_permission') {
      return this.send({ id, error: { code: -32603, message: 'Not now' } })
    }
    const { permits = 'allow_once' } = this.#options
    if (permits === 'nothing') return
    const option = params.options.find(({ kind }: { kind: string }) => kind === permits)
    if (option === undefined) this.faults.push(`no option ${permits}`)
    const outcome = { outcome: 'selected', optionId: option?.optionId ?? '' }
    this.send({ id, result: { outcome } })
  }
}
