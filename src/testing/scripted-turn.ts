/** One turn of a scripted provider: plays the steps, within what the request allows. */
import { writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { ContentBlock, PermissionOption } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { JsonValue } from '../contract/json.ts'
import { present } from '../contract/present.ts'
import type { Turn } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { TurnOutcome, Usage } from '../contract/result.ts'
import type { Reportable, ScriptStep } from './script-step.ts'
import type { ScriptedTools } from './scripted-tools.ts'

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

export interface ScriptedContext {
  readonly turn: Turn
  readonly content: readonly ContentBlock[]
  readonly capabilities: SubagentCapabilities
  readonly tools: ScriptedTools
  /** The words of the conversation so far. */
  readonly memory: string[]
  /** Resolves with the next text that is given in mid-turn. */
  hear(): Promise<string>
  die(): void
}

type Ended = TurnOutcome

export class ScriptedTurn {
  readonly #context: ScriptedContext
  #outcome: Ended = { ended: 'completed' }
  #over = false
  #value: JsonValue | undefined
  #usage: Usage | undefined
  readonly #spent = { turns: 0, tokens: 0, costUsd: 0 }
  #calls = 0

  constructor(context: ScriptedContext) {
    this.#context = context
  }

  async play(script: readonly ScriptStep[]): Promise<TurnOutcome> {
    await this.#steps(script)
    const { turn } = this.#context
    const ended: Ended = turn.signal.aborted ? { ended: 'cancelled' } : this.#outcome
    const structured = turn.request.outputSchema === undefined ? undefined : this.#value
    return { ...ended, ...present({ structured, usage: this.#usage }) }
  }

  async #steps(steps: readonly ScriptStep[]): Promise<void> {
    for (const step of steps) {
      if (this.#over || this.#context.turn.signal.aborted) return
      await this.#step(step)
    }
  }

  async #step(step: ScriptStep): Promise<void> {
    const { turn, tools, memory } = this.#context
    if ('say' in step) this.#say(step.say)
    else if ('update' in step) turn.emit({ type: 'session/update', update: step.update })
    else if ('report' in step) this.#say(JSON.stringify({ [step.report]: this.#report(step.report) ?? null }))
    else if ('ask' in step) await this.#ask(step)
    else if ('tool' in step) await this.#tool(step.tool, tools.has(step.tool), step.do ?? [])
    else if ('addTool' in step) tools.add(step.addTool)
    else if ('write' in step) await this.#write(step.write)
    else if ('nest' in step) await this.#tool('Agent', this.#mayNest(step.nest), step.do)
    else if ('delegate' in step) await this.#delegate(step.delegate)
    else if ('remember' in step) memory.push(step.remember)
    else if ('spend' in step) this.#spend(step.spend)
    else if ('wait' in step) await this.#until(delay(step.wait))
    else if ('hang' in step) await this.#until(new Promise<never>(() => {}))
    else if ('hear' in step) await this.#until(this.#context.hear().then((words) => this.#say(words)))
    else if ('value' in step) this.#value = step.value
    else if ('usage' in step) this.#usage = step.usage
    else if ('end' in step) this.#end(step)
    else this.#fault(step)
  }

  #say(words: string): void {
    const content = { type: 'text', text: words } as const
    const update = { sessionUpdate: 'agent_message_chunk', content } as const
    this.#context.turn.emit({ type: 'session/update', update })
  }

  /** A wait that a cancel ends. */
  async #until(what: Promise<unknown>): Promise<void> {
    const { signal } = this.#context.turn
    if (signal.aborted) return
    const aborted = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => aborted.resolve(), { once: true })
    await Promise.race([what, aborted.promise])
  }

  async #ask(step: Extract<ScriptStep, { ask: string }>): Promise<void> {
    const toolCall = { toolCallId: this.#callId(), title: step.ask, kind: step.kind ?? ('edit' as const) }
    const { turn } = this.#context
    const update = { sessionUpdate: 'tool_call', status: 'pending', ...toolCall } as const
    turn.emit({ type: 'session/update', update })
    const outcome = await turn.requestPermission({ toolCall, options: OPTIONS })
    const allowed = outcome.outcome === 'selected' && outcome.optionId === 'yes'
    this.#called(toolCall.toolCallId, allowed)
    await this.#steps((allowed ? step.granted : step.denied) ?? [])
  }

  async #tool(title: string, runs: boolean, steps: readonly ScriptStep[]): Promise<void> {
    const toolCallId = this.#callId()
    const update = { sessionUpdate: 'tool_call', toolCallId, title, status: 'in_progress' } as const
    this.#context.turn.emit({ type: 'session/update', update })
    if (runs) await this.#steps(steps)
    this.#called(toolCallId, runs)
  }

  #called(toolCallId: string, worked: boolean): void {
    const status = worked ? 'completed' : 'failed'
    const update = { sessionUpdate: 'tool_call_update', toolCallId, status } as const
    this.#context.turn.emit({ type: 'session/update', update })
  }

  #callId(): string {
    this.#calls += 1
    return `call-${this.#calls}`
  }

  #mayNest(levels: number): boolean {
    const { capabilities, turn } = this.#context
    const { depth, maxDepth } = turn.request
    return capabilities.depthLimit === 'none' || maxDepth === undefined || depth + levels <= maxDepth
  }

  async #write(path: string): Promise<void> {
    if (mayWrite(this.#context.turn.request, path)) await writeFile(path, 'written')
    else this.#say(`not written: ${path} is outside of the sandbox`)
  }

  async #delegate(request: Extract<ScriptStep, { delegate: unknown }>['delegate']): Promise<void> {
    const { turn } = this.#context
    try {
      const run = await turn.delegation.start(request, { signal: turn.signal })
      const { status, text } = await run.result
      this.#say(`[${status}] ${text}`)
    } catch (error) {
      if (!SubagentError.is(error)) throw error
      this.#say(`[${error.code}]`)
    }
  }

  #spend({ turns = 0, tokens = 0, costUsd = 0 }: Extract<ScriptStep, { spend: unknown }>['spend']): void {
    const {
      maxTurns = Infinity,
      maxTokens = Infinity,
      maxCostUsd = Infinity,
    } = this.#context.turn.request.limits
    this.#spent.turns += turns
    this.#spent.tokens += tokens
    this.#spent.costUsd += costUsd
    if (this.#spent.turns > maxTurns) this.#end({ end: 'truncated', category: 'max_turns' })
    else if (this.#spent.tokens > maxTokens) this.#end({ end: 'truncated', category: 'max_tokens' })
    else if (this.#spent.costUsd > maxCostUsd) this.#end({ end: 'truncated', category: 'budget' })
  }

  #end({ end, category = 'max_tokens' }: Extract<ScriptStep, { end: unknown }>): void {
    this.#over = true
    this.#outcome = end === 'truncated' ? { ended: end, category } : { ended: end }
  }

  #fault(step: Extract<ScriptStep, { fail: unknown } | { throw: unknown } | { die: true }>): never {
    const { cwd } = this.#context.turn.request
    if ('throw' in step) throw new TypeError(step.throw)
    if ('fail' in step)
      throw new SubagentError(step.fail, 'prompt', step.message ?? 'scripted', step.data ?? {})
    this.#context.die()
    throw new SubagentError(
      'AGENT_EXITED',
      'prompt',
      'The scripted agent ended in mid-turn, as its script says.',
      {
        command: 'scripted',
        cwd,
        exitCode: 1,
      },
    )
  }

  #report(what: Reportable): unknown {
    const { turn, content, tools, memory } = this.#context
    const { request } = turn
    const computed: { readonly [What in Reportable]?: () => unknown } = {
      instructions: () => request.persona ?? request.preset?.instructions?.text,
      tools: () => tools.names(),
      memory: () => memory,
      images: () => content.flatMap((block) => (block.type === 'image' ? [block.data] : [])),
      audio: () => content.flatMap((block) => (block.type === 'audio' ? [block.data] : [])),
      resources: () => content.flatMap((block) => (block.type === 'resource' ? [block.resource] : [])),
    }
    const fields: Partial<Record<Reportable, unknown>> = { ...request }
    return computed[what]?.() ?? fields[what]
  }
}

const isWithin = (root: string, path: string): boolean => !relative(root, path).startsWith('..')

const mayWrite = ({ sandbox, cwd, additionalDirectories }: ResolvedStartRequest, path: string): boolean => {
  if (sandbox === undefined || sandbox === 'danger-full-access') return true
  return sandbox === 'workspace-write' && [cwd, ...additionalDirectories].some((root) => isWithin(root, path))
}
