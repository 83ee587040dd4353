/** A conversation with Claude Code: one process for as long as it lasts, turn by turn. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { Logger } from '../../contract/logger.ts'
import type { ProviderSession, SetupScope, Turn } from '../../contract/provider.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import { messageOf } from './content.ts'
import { outcomeOf } from './ending.ts'
import { ClaudeLines, exitError } from './lines.ts'
import { hookAnswer, hookVerdict, leavesRoots, questionOf, READ_ONLY, toolAnswer } from './permissions.ts'
import { readResult } from './protocol.ts'
import type { ControlRequest, ResultLine } from './protocol.ts'
import { NOTHING_SHOWN, translate } from './translate.ts'
import type { Shown } from './translate.ts'

type Json = Readonly<Record<string, unknown>>

export interface SessionContext {
  readonly name: string
  readonly setup: SetupScope
  readonly log: Logger
  readonly capabilities: SubagentCapabilities
  /** The real path behind a path, as far as it exists. */
  real(path: string): string
  /** Removes what lies on disk for this session alone. */
  cleanUp(): Promise<void>
}

interface TurnState {
  readonly turn: Turn
  readonly ended: PromiseWithResolvers<void>
  shown: Shown
  results: ResultLine[]
  /** Background agents that will bring a result of their own. */
  readonly tasks: Set<string>
  errorKind: string | undefined
}

/** It answers an interrupt within a few hundredths of a second; longer, and its process goes with the run. */
const INTERRUPT_MS = 2000
/** After its last result a run that isn't kept waits so long for the process, which may still have a word. */
const DRAIN_MS = 1500

export class ClaudeSession implements ProviderSession {
  readonly capabilities: SubagentCapabilities
  readonly #context: SessionContext
  readonly #lines: ClaudeLines
  #nativeId: string | undefined
  #current: TurnState | undefined
  #costUsd = 0
  #end: Promise<void> | undefined

  constructor(
    context: SessionContext,
    process: ConstructorParameters<typeof ClaudeLines>[0],
    nativeId: string,
  ) {
    this.#context = context
    this.capabilities = context.capabilities
    this.#nativeId = nativeId
    this.#lines = new ClaudeLines(process, {
      line: (line, bytes) => this.#line(line, bytes),
      control: (request) => this.#control(request),
      noise: (text) =>
        context.log.debug({ agent: context.name, text: process.mask(text) }, 'a line that is no JSON'),
    })
    void this.#lines.lost.then(() => this[Symbol.asyncDispose]())
  }

  get nativeId(): string | undefined {
    return this.#nativeId
  }

  get usable(): boolean {
    return this.#lines.alive && this.#end === undefined
  }

  /** Rejects with how the process ended where it isn't ready for a prompt. */
  async initialize(signal: AbortSignal): Promise<void> {
    const hooks = { PreToolUse: [{ matcher: null, hookCallbackIds: ['before'] }] }
    try {
      await Promise.race([
        this.#lines.ask({ subtype: 'initialize', hooks }, signal),
        this.#lines.lost.then(() => Promise.reject(this.#exitError(false))),
      ])
    } catch (error) {
      signal.throwIfAborted()
      throw this.#lines.alive ? error : this.#exitError(false)
    }
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    if (turn.signal.aborted) return { ended: 'cancelled' }
    const state: TurnState = {
      turn,
      ended: Promise.withResolvers(),
      shown: NOTHING_SHOWN,
      results: [],
      tasks: new Set(),
      errorKind: undefined,
    }
    this.#current = state
    const stop = (): void => void this.#interrupt()
    turn.signal.addEventListener('abort', stop, { once: true })
    try {
      this.#lines.send({
        type: 'user',
        message: { role: 'user', content: messageOf(content) },
        parent_tool_use_id: null,
        session_id: '',
      })
      await Promise.race([state.ended.promise, this.#lines.lost])
      if (!turn.request.keep) await this.#drain()
      return this.#concluded(state)
    } finally {
      turn.signal.removeEventListener('abort', stop)
      this.#current = undefined
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#stop()
    return this.#end
  }

  #line(line: Json, bytes: number): void {
    const id = line['session_id']
    if (typeof id === 'string' && id !== '') this.#nativeId = id
    const state = this.#current
    const result = readResult(line)
    if (result !== undefined) return this.#resulted(result, state)
    if (state === undefined) return
    this.#note(line, state)
    const { events, shown } = translate(line, state.shown)
    state.shown = shown
    for (const event of events) if (!state.turn.emit(event, bytes)) this.#hold(state)
  }

  #resulted(result: ResultLine, state: TurnState | undefined): void {
    if (state === undefined) return
    state.results.push(result)
    if (result.queued === 0 && state.tasks.size === 0) state.ended.resolve()
  }

  #note(line: Json, { tasks }: TurnState): void {
    const state = this.#current
    if (line['type'] === 'assistant' && typeof line['error'] === 'string' && state)
      state.errorKind = line['error']
    const task = line['task_id']
    if (line['type'] !== 'system' || typeof task !== 'string') return
    if (line['subtype'] === 'task_notification') tasks.delete(task)
    if (line['subtype'] === 'task_started' && line['is_backgrounded'] === true) tasks.add(task)
  }

  #hold({ turn }: TurnState): void {
    if (turn.signal.aborted) return
    const { stdout } = this.#lines.process
    stdout.pause()
    void turn.drained().then(() => stdout.resume())
  }

  async #control({ subtype, request }: ControlRequest): Promise<object> {
    const { tool_name: tool, input, tool_use_id: id } = request
    if (subtype === 'can_use_tool' && typeof tool === 'string') {
      const outcome = await this.#ask(tool, input, String(id ?? ''))
      return toolAnswer(outcome, input)
    }
    if (subtype === 'hook_callback') return this.#before(request)
    throw new Error(`Not served here: ${subtype}`)
  }

  /** Before each tool: what the sandbox or an explicit policy forbids goes before the user's own rules. */
  async #before(request: Json): Promise<object> {
    const hook = isRecord(request['input']) ? request['input'] : {}
    const { tool_name: tool, tool_input: input, tool_use_id: id } = hook
    const state = this.#current
    if (typeof tool !== 'string' || state === undefined) return hookAnswer('pass')
    const { request: asked } = state.turn
    if (isRecord(input) && leavesRoots(tool, input, asked, (path) => this.#context.real(path)))
      return hookAnswer('deny', 'The path lies outside of the folders that may be written here.')
    if (asked.requested.permission === undefined || asked.permission === 'allow') return hookAnswer('pass')
    if (READ_ONLY.has(tool) && asked.permission !== 'deny') return hookAnswer('pass')
    return hookAnswer(hookVerdict(await this.#ask(tool, input, String(id ?? request['tool_use_id'] ?? ''))))
  }

  async #ask(tool: string, input: unknown, id: string): ReturnType<Turn['requestPermission']> {
    const state = this.#current
    if (state === undefined) return { outcome: 'cancelled' }
    return state.turn.requestPermission(questionOf(tool, input, id))
  }

  async #interrupt(): Promise<void> {
    this.#lines.process.stdout.resume()
    await this.#lines.ask({ subtype: 'interrupt' }, AbortSignal.timeout(INTERRUPT_MS)).catch(() => {})
  }

  /** It may print another result, or none and not exit. */
  async #drain(): Promise<void> {
    if (!this.#lines.alive) return
    this.#lines.process.endInput()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, DRAIN_MS)
    await Promise.race([this.#lines.lost, promise])
    clearTimeout(timer)
  }

  #concluded(state: TurnState): TurnOutcome {
    const { turn, results, errorKind } = state
    const last = results.at(-1)
    if (last === undefined) {
      if (turn.signal.aborted) return { ended: 'cancelled' }
      throw this.#exitError(true)
    }
    if (results.length > 1) {
      turn.emit({
        type: 'notice',
        severity: 'info',
        title: `Claude Code gave ${results.length} results; the last one counts.`,
      })
    }
    const costBefore = this.#costUsd
    this.#costUsd = last.costUsd ?? costBefore
    const { name } = this.#context
    return outcomeOf(last, { name, errorKind, costBefore, cancelRequested: turn.signal.aborted })
  }

  #exitError(ready: boolean): SubagentError {
    return exitError(this.#context.name, this.#lines.process, ready)
  }

  async #stop(): Promise<void> {
    const { setup, name } = this.#context
    const { escaped } = await this.#lines.process.stop()
    await this.#context.cleanUp()
    if (escaped.length === 0) return
    const title = `Processes of ${name} escaped and are still running: ${escaped.join(', ')}.`
    setup.record({ type: 'notice', severity: 'warning', title, data: { escaped: [...escaped] } })
  }
}
