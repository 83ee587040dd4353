/** A conversation with Claude Code, turn by turn: one process for as long as its flags fit what is asked. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import type { ProviderSession, Turn } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import { after } from '../../contract/timer.ts'
import { endMarked } from '../../process/marked.ts'
import { flagsOf } from './arguments.ts'
import type { Conversation } from './arguments.ts'
import { CLAUDE_ROWS } from './capabilities.ts'
import { commandsAfter } from './commands.ts'
import { messageOf } from './content.ts'
import { outcomeOf } from './ending.ts'
import { greet } from './handshake.ts'
import { ClaudeLines, exitError } from './lines.ts'
import { forbidden, hookAnswer, hookVerdict, isToAskFirst, questionOf, toolAnswer } from './permissions.ts'
import type { ControlRequest } from './protocol.ts'
import type { SessionContext } from './session-context.ts'
import { askPerson, QUESTION_TOOL } from './questionnaire.ts'
import { ClaudeTurn } from './turn.ts'

type Json = Readonly<Record<string, unknown>>

/** A process, and what can't be changed in it. */
interface Running {
  readonly lines: ClaudeLines
  readonly flags: string
  /** A turn was run in it: of a budget, which counts by process, a part may be gone. */
  used: boolean
}

/** It answers control requests within a few hundredths of a second. */
const ANSWER_MS = 2000
/** After its last result it writes its conversation and goes. */
const DRAIN_MS = 2000

export class ClaudeSession implements ProviderSession {
  readonly #context: SessionContext
  #conversation: Conversation
  #running: Running | undefined
  #current: ClaudeTurn | undefined
  #end: Promise<void> | undefined
  #idle: Disposable | undefined
  /** A process that was given up between two turns: two may not write one conversation. */
  #rested: Promise<void> | undefined
  #sandboxed = false
  #offer: AgentOffer = {}

  private constructor(context: SessionContext, conversation: Conversation) {
    this.#context = context
    this.#conversation = conversation
  }

  /** Rejects with how the process ended where it isn't ready for a prompt; then nothing of it is left. */
  static async open(context: SessionContext, conversation: Conversation): Promise<ClaudeSession> {
    const session = new ClaudeSession(context, conversation)
    try {
      await session.#start(context.opened, context.setup.signal)
      return session
    } catch (error) {
      await session[Symbol.asyncDispose]()
      throw error
    }
  }

  get capabilities(): SubagentCapabilities {
    const unconfined = this.#context.opened.sandbox === 'workspace-write' && !this.#sandboxed
    return unconfined ? { ...CLAUDE_ROWS, sandbox: 'none' } : CLAUDE_ROWS
  }

  get offer(): AgentOffer {
    return this.#offer
  }

  get nativeId(): string {
    return this.#conversation.id
  }

  /** Without a process too, where a fresh one can take the conversation up. */
  get usable(): boolean {
    if (this.#end !== undefined) return false
    return this.#running === undefined ? this.#conversation.from === 'resume' : this.#running.lines.alive
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    if (turn.signal.aborted) return { ended: 'cancelled' }
    const message = { role: 'user', content: messageOf(content) }
    this.#idle?.[Symbol.dispose]()
    const running = await this.#fitting(turn)
    if (turn.signal.aborted) {
      this.#keep(running)
      return { ended: 'cancelled' }
    }
    const { lines } = running
    const state = new ClaudeTurn(turn)
    state.acted = content.some((block) => block.type === 'text' && /^\s*[/!]/u.test(block.text))
    running.used = true
    this.#current = state
    const stop = (): void => void this.#interrupt(lines, state)
    turn.signal.addEventListener('abort', stop, { once: true })
    try {
      lines.send({ type: 'user', message, parent_tool_use_id: null, session_id: '' })
      await Promise.race([state.ended, lines.lost])
      await this.#tidy(lines, state)
      return this.#concluded(lines, state)
    } finally {
      turn.signal.removeEventListener('abort', stop)
      this.#current = undefined
      if (turn.request.keep) this.#keep(running)
    }
  }

  /** Its process waits for the next turn, but not for ever. */
  #keep(running: Running): void {
    const { host, warm, idleMs } = this.#context
    if (this.#running !== running || this.#end !== undefined || !running.lines.alive) return
    host(running.lines.process.pid, false)
    const rest = (): void => {
      if (this.#running !== running || this.#current !== undefined) return
      this.#running = undefined
      this.#rested = this.#leave(running.lines)
    }
    if (warm) this.#idle = after(idleMs, rest, { idle: true })
    else rest()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#idle?.[Symbol.dispose]()
    this.#end ??= this.#stop()
    return this.#end
  }

  /** Flags of a turn are flags of its process, so that other ones need another process. */
  async #fitting({ request, signal }: Turn): Promise<Running> {
    const running = this.#running
    const { configured } = this.#context
    const spent = request.limits.maxCostUsd !== undefined && running?.used === true
    if (running !== undefined && !spent && running.flags === flagsOf(request, configured)) {
      if (running.used) this.#context.host(running.lines.process.pid, true)
      return running
    }
    this.#running = undefined
    if (running !== undefined) await this.#leave(running.lines)
    await this.#rested
    return this.#start(request, signal)
  }

  async #start(request: ResolvedStartRequest, signal: AbortSignal): Promise<Running> {
    signal.throwIfAborted()
    const { name, opened, configured } = this.#context
    const { process, cleanUp } = await this.#context.launch(this.#conversation, request)
    const lines: ClaudeLines = new ClaudeLines(process, {
      line: (line, bytes) => this.#line(lines, line, bytes),
      control: (asked) => this.#control(asked),
      noise: (text) => this.#context.noise(process.mask(text)),
    })
    try {
      const { sandboxed, offer } = await greet(name, lines, { opened, request }, signal)
      this.#sandboxed = sandboxed
      if (offer !== undefined) this.#offer = this.#context.offers(offer)
      const running = { lines, flags: flagsOf(request, configured), used: false }
      this.#running = running
      void lines.lost.then(() => (this.#running === running ? this[Symbol.asyncDispose]() : undefined))
      return running
    } catch (error) {
      await this.#leave(lines)
      throw error
    } finally {
      await cleanUp()
    }
  }

  #line(lines: ClaudeLines, line: Json, bytes: number): void {
    if (line['type'] === 'result' && line['is_error'] !== true)
      this.#conversation = { from: 'resume', id: this.nativeId }
    const state = this.#current
    const availableCommands = commandsAfter(line, this.#offer.commands)
    if (availableCommands !== undefined) {
      this.#offer = this.#context.offers({ commands: availableCommands })
      const update = { sessionUpdate: 'available_commands_update', availableCommands } as const
      state?.turn.emit({ type: 'session/update', update })
    }
    if (state === undefined || state.take(line, bytes) || state.turn.signal.aborted) return
    const { stdout } = lines.process
    stdout.pause()
    void state.turn.drained().then(() => stdout.resume())
  }

  async #control({ subtype, request }: ControlRequest): Promise<object> {
    const { tool_name: tool, input, tool_use_id: id } = request
    if (subtype === 'can_use_tool' && tool === QUESTION_TOOL)
      return askPerson(this.#context.setup.client, input, text(id), this.#current?.turn.signal)
    if (subtype === 'can_use_tool' && typeof tool === 'string')
      return toolAnswer(await this.#ask(tool, input, text(id)), input)
    if (subtype === 'hook_callback') return this.#before(request)
    throw new Error(`Not served here: ${subtype}`)
  }

  /** Before each tool: what the session or an explicit policy forbids goes before the user's own rules. */
  async #before(request: Json): Promise<object> {
    const hook = isRecord(request['input']) ? request['input'] : {}
    const { tool_name: tool, tool_input: input, tool_use_id: id } = hook
    const state = this.#current
    if (typeof tool !== 'string' || state === undefined || state.over)
      return hookAnswer('deny', 'No run is going on.')
    state.acted = true
    const { opened, configured } = this.#context
    const reason = await forbidden(tool, input, opened)
    if (reason !== undefined) return hookAnswer('deny', reason)
    if (!isToAskFirst(tool, state.turn.request, configured)) return hookAnswer('pass')
    return hookAnswer(hookVerdict(await this.#ask(tool, input, text(id) || text(request['tool_use_id']))))
  }

  async #ask(tool: string, input: unknown, id: string): ReturnType<Turn['requestPermission']> {
    const turn = this.#current?.turn
    return turn === undefined ? { outcome: 'cancelled' } : turn.requestPermission(questionOf(tool, input, id))
  }

  async #interrupt(lines: ClaudeLines, state: ClaudeTurn): Promise<void> {
    lines.process.stdout.resume()
    await this.#tell(lines, { subtype: 'interrupt' })
    state.interrupted()
  }

  /** What must not hold up an end. */
  async #tell(lines: ClaudeLines, request: object): Promise<void> {
    await lines.ask(request, AbortSignal.timeout(ANSWER_MS)).catch(() => {})
  }

  /** What the turn started in the background ends with it; then a process that isn't kept ends by itself. */
  async #tidy(lines: ClaudeLines, { turn, background, acted }: ClaudeTurn): Promise<void> {
    if (lines.alive) {
      const stops = background.map((id) => this.#tell(lines, { subtype: 'stop_task', task_id: id }))
      await Promise.all(stops)
    }
    if (turn.request.keep) {
      // Its tools carry its pid; the servers that it keeps don't.
      const { pid } = lines.process
      const looks = lines.alive && (acted || background.length > 0)
      const escaped = looks ? await endMarked([`CLAUDE_PID=${pid}`], pid) : []
      if (escaped.length > 0) this.#escaped(escaped)
    } else if (lines.alive && !turn.signal.aborted) {
      // It may print another result, or none and not exit.
      lines.process.endInput()
      const over = new AbortController()
      await Promise.race([lines.lost, sleep(DRAIN_MS, undefined, over).catch(() => {})])
      over.abort()
    }
  }

  #concluded(lines: ClaudeLines, state: ClaudeTurn): TurnOutcome {
    const { name } = this.#context
    const { turn, results, errorKind, resetsAt } = state
    const last = results.at(-1)
    const { exitCode = 0, withheld = [] } = lines.process.facts()
    if (last === undefined) {
      if (turn.signal.aborted) return { ended: 'cancelled' }
      throw exitError(name, lines.process, true)
    }
    const warn = (title: string): void => void turn.emit({ type: 'notice', severity: 'warning', title })
    if (results.length > 1) warn(`Claude Code gave ${results.length} results; the last one counts.`)
    if (exitCode !== 0 && !last.isError)
      warn(`Claude Code gave its result and then exited with code ${exitCode}.`)
    const resetMs = resetsAt === undefined ? undefined : Math.max(resetsAt - Date.now(), 0)
    const mask = (text: string): string => lines.process.mask(text)
    const cancelRequested = turn.signal.aborted
    return outcomeOf(results, last, { name, errorKind, resetMs, withheld, mask, cancelRequested })
  }

  async #leave({ process }: ClaudeLines): Promise<void> {
    const { escaped } = await process.stop()
    if (escaped.length > 0) this.#escaped(escaped)
  }

  #escaped(escaped: readonly number[]): void {
    const title = `Processes of ${this.#context.name} escaped and are still running: ${escaped.join(', ')}.`
    const data = { escaped: [...escaped] }
    this.#context.setup.record({ type: 'notice', severity: 'warning', title, data })
  }

  async #stop(): Promise<void> {
    if (this.#running !== undefined) await this.#leave(this.#running.lines)
    await this.#rested
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
