/** A chat: a conversation of one person with agents that take turns, each on a session of its own. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { ContentBlock } from '../contract/content.ts'
import type { SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import { agentsText, readCommand } from './commands.ts'
import type { Command, OfferedPreset } from './commands.ts'
import type { HandOver } from './hand-over.ts'
import { leftOutWords } from './mcp-servers.ts'
import type { PromptParams } from './params.ts'
import { FaceSession } from './session.ts'
import type { Begin, FaceSessionOptions } from './session.ts'
import { startTurn } from './start-turn.ts'
import type { BegunTurn } from './start-turn.ts'
import { promptTitle } from './stored-chats.ts'
import { unheardBy } from './unheard.ts'

/** What every start of the chat begins with; its agent and its controls are chosen. */
export type ChatBase = Omit<
  SubagentStartRequest,
  'provider' | 'prompt' | 'session' | 'model' | 'effort' | 'sandbox' | 'permission' | 'maxDepth'
>

export interface ChatOptions extends FaceSessionOptions {
  readonly base: ChatBase
  readonly presets: () => readonly OfferedPreset[]
  /** The agents' sessions so far, by provider. */
  readonly seats: ReadonlyMap<string, SessionId>
  /** Its agent's first prompt copies this one's session. */
  readonly copies?: { readonly agent: string; readonly sessionId: SessionId }
  readonly titled: boolean
  /** Told which agent was spoken with. */
  readonly spoke: (agent: string) => void
}

export class Chat extends FaceSession {
  readonly #options: ChatOptions
  readonly #seats: Map<string, SessionId>
  /** What each agent that stands was set up with. */
  readonly #setUp = new Map<string, string>()
  /** Servers that an agent couldn't take: they aren't asked for again. */
  readonly #left = new Map<string, Set<string>>()
  #titled: boolean
  #copied = false

  constructor(options: ChatOptions) {
    super(options)
    this.#options = options
    this.#seats = new Map(options.seats)
    this.#titled = options.titled
  }

  /** The session of the agent that is chosen, where it has one. */
  get seat(): SessionId | undefined {
    return this.#seats.get(this.options.choices.agent)
  }

  /** What its first prompt still is to copy. */
  get copying(): Pick<ChatOptions, 'copies'> {
    return this.#copied ? {} : present({ copies: this.#options.copies })
  }

  /** Ends it with all that belongs to it. */
  end(): Promise<void> {
    return this.close(this.#seats.values())
  }

  /** All that a start would ask for now. */
  get request(): Omit<SubagentStartRequest, 'prompt' | 'session'> {
    const { choices } = this.options
    return { ...this.#options.base, provider: choices.agent, ...choices.controls }
  }

  async prompt(params: PromptParams, signal: AbortSignal): Promise<acp.PromptResponse> {
    const command = this.#strict ? undefined : readCommand(params.prompt ?? [], this.#options.presets())
    if (command === undefined) {
      const answer = await this.answer((options) => this.#begin(params, options), signal)
      // An agent may have told what can be chosen only now that it was there.
      if (!this.#strict) await this.options.states.showOptions()
      return answer
    }
    if ('task' in command) return this.answer((options) => this.#delegate(command, params, options), signal)
    await this.#answer(command)
    return { stopReason: 'end_turn' }
  }

  /** Another gateway, which does for its own person what is done here for an editor's (law 10). */
  get #strict(): boolean {
    return this.options.takes.echoes
  }

  async #begin(params: PromptParams, options: Parameters<Begin>[0]): ReturnType<Begin> {
    const { choices, host, link } = this.options
    const { agent } = choices
    const { base } = this.#options
    await this.#standAnew(agent)
    const copied = this.copying.copies
    const copies = this.seat === undefined && copied?.agent === agent
    const own = this.seat ?? (copies ? copied?.sessionId : undefined)
    const meta = params.trace === undefined ? {} : { meta: { ...params.trace } }
    const request = { ...this.request, ...params.controls, ...meta, prompt: params.prompt }
    const left = this.#left.get(agent)
    const begun = await startTurn({
      host,
      request:
        left === undefined
          ? request
          : { ...request, mcpServers: (base.mcpServers ?? []).filter(({ name }) => !left.has(name)) },
      choices: choices.wishes,
      options,
      copies,
      strict: this.#strict,
      unheard: (heard) =>
        this.#strict ? undefined : unheardBy(host.store, link, heard, (name) => choices.title(name)),
      ...present({ own }),
    })
    const { run } = begun
    if (copies) this.#copied = true
    this.#seats.set(agent, run.sessionId)
    this.#setUp.set(agent, this.#composition())
    this.#options.spoke(agent)
    return { run, before: () => (this.#strict ? Promise.resolve() : this.#introduce(begun, params.prompt)) }
  }

  /** An agent that stands keeps to what it was set up with; with other controls it is set up anew. */
  async #standAnew(agent: string): Promise<void> {
    const before = this.#setUp.get(agent)
    const seat = this.#seats.get(agent)
    if (this.#strict || seat === undefined || before === undefined || before === this.#composition()) return
    await this.options.host.runtime.close(seat)
  }

  #composition(): string {
    const { model, effort, sandbox, maxDepth } = this.options.choices.controls
    return JSON.stringify([model, effort, sandbox, maxDepth])
  }

  async #introduce({ run, told, left, lost }: BegunTurn, prompt: readonly ContentBlock[]): Promise<void> {
    const { choices, host, states, voice } = this.options
    const title = choices.title(run.provider)
    choices.met(run.provider, host.runtime.agent(run.sessionId))
    await states.show()
    if (!this.#titled) {
      this.#titled = true
      const words = promptTitle(prompt)
      if (words !== '') await voice.notify({ update: { sessionUpdate: 'session_info_update', title: words } })
    }
    const known = this.#left.get(run.provider) ?? new Set<string>()
    const fresh = left.filter(({ name }) => !known.has(name))
    this.#left.set(run.provider, new Set([...known, ...fresh.map(({ name }) => name)]))
    if (fresh.length > 0) await voice.note(leftOutWords(fresh, title))
    if (lost !== undefined) await voice.note(`${title} begins anew: ${lost}`)
    if (told !== undefined) await voice.note(toldWords(told, title))
  }

  /** A task of its own, for a subagent of this chat: of the agent that is chosen, where that has spoken. */
  async #delegate(
    command: Extract<Command, { readonly task: unknown }>,
    params: PromptParams,
    options: Parameters<Begin>[0],
  ): ReturnType<Begin> {
    const { host, choices } = this.options
    const parent = this.seat
    const provider =
      command.kind === 'delegate' ? host.runtime.providers.get(command.agent).provider.name : choices.agent
    const { cwd, additionalDirectories } = this.#options.base
    const { sandbox, permission, maxDepth } = choices.controls
    const asked = {
      provider,
      prompt: command.task,
      ...present({ cwd, additionalDirectories }),
      ...(command.kind === 'preset' && { preset: command.preset }),
      // A child stands under what its parent stands under.
      ...(parent === undefined
        ? present({ sandbox, permission, maxDepth })
        : { parent: { sessionId: parent } }),
      ...(params.trace !== undefined && { meta: { ...params.trace } }),
    }
    if (parent !== undefined) this.follow(parent)
    const run = await host.runtime.start(
      parent === undefined ? await host.rootRequest(asked) : asked,
      options,
    )
    return { run, before: () => Promise.resolve() }
  }

  async #answer(command: Extract<Command, { readonly kind: 'agents' | 'stop' | 'usage' }>): Promise<void> {
    const { voice, choices } = this.options
    if (command.kind === 'usage') return voice.say(command.words)
    const { below } = this
    if (command.kind === 'agents') {
      const working = below.map(({ provider, label }) => ({
        title: choices.title(provider),
        ...present({ label }),
      }))
      return voice.say(agentsText(choices.usable, working))
    }
    for (const run of below) run.cancel()
    await Promise.all(below.map(({ result }) => result))
    const count = below.length
    return voice.say(
      count === 0
        ? 'No subagent is at work.'
        : `${count === 1 ? '1 subagent' : `${count} subagents`} stopped.`,
    )
  }
}

const toldWords = ({ speakers, cut }: HandOver, agent: string): string => {
  const whose = speakers.length === 0 ? 'you' : `you and ${speakers.join(', ')}`
  const less =
    cut === 0 ? '' : `; ${cut === 1 ? '1 earlier message was' : `${cut} earlier messages were`} cut`
  return `${agent} was told what ${whose} said so far${less}.`
}
