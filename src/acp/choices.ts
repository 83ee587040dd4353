/** What a person has chosen in one chat: its agent, the agent's own options, and Subgate's controls. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { SessionUpdate } from '../contract/content.ts'
import { chosenIn, offerAfter } from '../contract/offer.ts'
import type { AgentChoice, AgentOffer } from '../contract/offer.ts'
import { present } from '../contract/present.ts'
import type { ProviderSession } from '../contract/provider.ts'
import type { UsableAgent } from '../gateway.ts'
import type { FaceHost } from './host.ts'
import { advertisedRows } from './initialize.ts'
import { configOptionsOf, readChoice } from './options.ts'
import type { Chosen, Controls, OptionsView } from './options.ts'

export interface ChoicesOptions {
  readonly host: FaceHost
  /** Those that can be chosen; none where the agent is given. */
  readonly agents: readonly UsableAgent[]
  /** All that can start here. */
  readonly usable: readonly UsableAgent[]
  readonly agent: string
  readonly controls: Controls
  readonly booleans: boolean
}

/** Controls that mean the same to each agent; a model is one of the agent that has it. */
type Shared = Pick<Controls, 'sandbox' | 'permission' | 'maxDepth'>
type Own = Pick<Controls, 'model' | 'effort'>

export class ChatChoices {
  readonly #options: ChoicesOptions
  readonly #own = new Map<string, Own>()
  readonly #met = new Map<string, SubagentCapabilities>()
  readonly #offers = new Map<string, AgentOffer>()
  readonly #wishes = new Map<string, readonly AgentChoice[]>()
  #agent: string
  #shared: Shared

  constructor(options: ChoicesOptions) {
    this.#options = options
    this.#agent = options.agent
    const { model, effort, ...shared } = options.controls
    this.#shared = shared
    this.#own.set(options.agent, present({ model, effort }))
  }

  get agent(): string {
    return this.#agent
  }

  /** Those that a task can be handed to. */
  get usable(): readonly UsableAgent[] {
    return this.#options.usable
  }

  /** What people call an agent. */
  title(agent: string = this.#agent): string {
    const listed = this.#options.usable.find(({ name }) => name === agent)
    return listed?.title ?? this.#options.host.runtime.providers.find(agent)?.provider.title ?? agent
  }

  /** As far as is known by now: an agent's handshake may lower them. */
  rows(agent: string = this.#agent): SubagentCapabilities {
    return this.#options.host.runtime.providers.get(agent).provider.capabilities
  }

  get controls(): Controls {
    return { ...this.#own.get(this.#agent), ...this.#shared }
  }

  /** What the agent itself is to be told once it is there. */
  get wishes(): readonly AgentChoice[] {
    return this.#wishes.get(this.#agent) ?? []
  }

  get modes(): acp.SessionModeState | undefined {
    return this.#offer.modes
  }

  get commands(): readonly acp.AvailableCommand[] {
    return this.#offer.commands ?? []
  }

  get configOptions(): acp.SessionConfigOption[] {
    return [...configOptionsOf(this.#view)]
  }

  read(configId: string, value: unknown): Chosen {
    return readChoice(this.#view, configId, value)
  }

  /** Disposing the answer takes it back. */
  choose(chosen: Chosen): Disposable {
    const [agent, shared, own] = [this.#agent, this.#shared, this.#own.get(this.#agent)]
    if ('agent' in chosen) this.#agent = chosen.agent
    else if ('own' in chosen) this.#wish(chosen.own)
    else this.#control(chosen.control, chosen.value)
    return {
      [Symbol.dispose]: () => {
        this.#agent = agent
        this.#shared = shared
        if (own !== undefined) this.#own.set(agent, own)
      },
    }
  }

  /** What the agent that is there has and offers, which counts before what was remembered of it. */
  met(agent: string, session: Pick<ProviderSession, 'capabilities' | 'offer'> | undefined): void {
    if (session === undefined) return
    this.#met.set(agent, session.capabilities)
    if (session.offer !== undefined) this.#offers.set(agent, session.offer)
  }

  heard(agent: string, update: SessionUpdate): void {
    this.#offers.set(agent, offerAfter(this.#offerOf(agent), update))
  }

  get #offer(): AgentOffer {
    return this.#offerOf(this.#agent)
  }

  #offerOf(agent: string): AgentOffer {
    return this.#offers.get(agent) ?? this.#options.host.runtime.providers.get(agent).provider.offer?.() ?? {}
  }

  #wish(choice: AgentChoice): void {
    const about = (other: AgentChoice): string => ('modeId' in other ? '' : other.configId)
    const before = this.wishes.filter((other) => about(other) !== about(choice))
    this.#wishes.set(this.#agent, [...before, choice])
    this.#offers.set(this.#agent, chosenIn(this.#offer, choice))
  }

  #control(control: keyof Controls, value: string | number | undefined): void {
    const changed = present({ ...this.controls, [control]: value }) as Controls
    const { model, effort, ...shared } = changed
    this.#shared = shared
    this.#own.set(this.#agent, present({ model, effort }))
  }

  get #view(): OptionsView {
    const { host, agents, booleans } = this.#options
    const { settings, provider } = host.runtime.providers.get(this.#agent)
    return {
      agents,
      agent: this.#agent,
      rows: this.#met.get(this.#agent) ?? advertisedRows(provider),
      offer: this.#offer,
      controls: this.controls,
      policy: settings.permission ?? host.runtime.settings.get().permission,
      booleans,
    }
  }
}
