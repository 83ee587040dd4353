/** What each check works with: fresh agent processes, and the steps that most checks begin with. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord } from '../../contract/json.ts'
import { hold, shown } from '../failure.ts'
import { Conversation } from './conversation.ts'
import { AUTH_REQUIRED } from './facts.ts'
import type { AgentFacts } from './facts.ts'
import type { StartAgent } from './link.ts'
import { STOP_REASONS, stopReasonOf } from './message.ts'
import type { Heard } from './message.ts'
import type { Settings } from './options.ts'
import { NotTested } from './outcome.ts'
import type { ReusedAgents, Talk } from './reuse.ts'
import type { ProtocolSchema } from './schema.ts'

/** Returns, what it recorded if anything; or throws `Unmet` or `NotTested`. */
export type AcpCheck = (scene: Scene) => Promise<string | void>

export type Checks = Readonly<Record<string, AcpCheck>>

export const textBlock = (text: string): object => ({ type: 'text', text })

export class Scene implements AsyncDisposable {
  readonly settings: Settings
  readonly facts: AgentFacts
  readonly schema: ProtocolSchema
  readonly conversations: Conversation[] = []
  /** Of other scenes, that this one is judged by. */
  readonly overheard: Conversation[] = []
  readonly #start: StartAgent
  readonly #reused: ReusedAgents | undefined
  readonly #borrowed = new Set<Conversation>()
  readonly #folders: string[] = []

  constructor(
    start: StartAgent,
    settings: Settings,
    facts: AgentFacts,
    schema: ProtocolSchema,
    reused?: ReusedAgents,
  ) {
    this.#start = start
    this.#reused = reused
    this.settings = settings
    this.facts = facts
    this.schema = schema
  }

  /** A fresh process, to which nothing was said. */
  async begin(): Promise<Conversation> {
    const conversation = new Conversation(await this.#start(), this.settings)
    this.conversations.push(conversation)
    return conversation
  }

  /** In a fresh process too, unless processes are reused and the client has no capability. */
  async initialized(clientCapabilities: object = {}): Promise<Conversation> {
    if (this.#reused !== undefined && Object.keys(clientCapabilities).length === 0) {
      const borrowed = await this.#reused.take()
      this.#borrowed.add(borrowed)
      this.conversations.push(borrowed)
      return borrowed
    }
    const conversation = await this.begin()
    await conversation.prepared('initialize', conversation.initializeParams(clientCapabilities))
    return conversation
  }

  /** What several requirements are judged by: played once for all of them where processes are reused, else for each. */
  once<T extends { readonly conversation: Conversation }>(name: string, play: () => Promise<T>): Promise<T> {
    return this.#reused === undefined ? play() : this.#shared(this.#reused, name, play)
  }

  async #shared<T extends { readonly conversation: Conversation }>(
    reused: ReusedAgents,
    name: string,
    play: () => Promise<T>,
  ): Promise<T> {
    const found = await reused.once(name, () => play())
    if (!this.conversations.includes(found.conversation)) this.overheard.push(found.conversation)
    return found
  }

  /** For a prompt that any session will do for. */
  async talk<T>(say: (session: Talk) => Promise<T>): Promise<T> {
    if (this.#reused === undefined) return say(await this.opened())
    return this.#reused.talk((session) => {
      this.overheard.push(session.conversation)
      return say(session)
    })
  }

  /** Signs in first where the agent wants that and a method was named. */
  async session(conversation: Conversation, more: object = {}): Promise<string> {
    const created = await this.created(conversation, more)
    const id = created['sessionId']
    if (typeof id !== 'string') throw new NotTested(`session/new gave no session id: ${shown(created)}`)
    return id
  }

  async created(conversation: Conversation, more: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const { authMethod } = this.settings
    if (this.facts.authRequired && authMethod !== undefined)
      await conversation.prepared('authenticate', { methodId: authMethod })
    return conversation.prepared('session/new', conversation.sessionParams(more))
  }

  async opened(clientCapabilities: object = {}): Promise<Talk> {
    const conversation = await this.initialized(clientCapabilities)
    return { conversation, sessionId: await this.session(conversation) }
  }

  /** A turn that is only the way to something else. */
  async spoken(conversation: Conversation, sessionId: string, text: string): Promise<void> {
    const prompt = [textBlock(text)]
    await conversation.prepared('session/prompt', { sessionId, prompt })
  }

  async #done(conversation: Conversation): Promise<void> {
    if (this.#borrowed.has(conversation)) await this.#reused?.release(conversation)
    else await conversation[Symbol.asyncDispose]()
  }

  /** An empty directory, removed with the scene. */
  async folder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'subgate-check-')))
    this.#folders.push(folder)
    return folder
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.conversations.map((conversation) => this.#done(conversation)))
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true })
  }
}

/** A prompt of these blocks ends with a stop reason of the protocol. */
export const endsWell = async (
  conversation: Conversation,
  sessionId: string,
  prompt: readonly object[],
  more: object = {},
): Promise<Heard> => {
  const answer = await conversation.request('session/prompt', { sessionId, prompt, ...more })
  signedIn(answer)
  hold(answer.error === undefined, 'a stop reason', shown(answer.error))
  hold(STOP_REASONS.includes(stopReasonOf(answer)), 'a stop reason of the protocol', shown(answer.result))
  return answer
}

export const signedIn = ({ error }: Heard): void => {
  if (error?.code === AUTH_REQUIRED)
    throw new NotTested('The agent wants a sign-in first. Sign in, or name a method with --auth-method.')
}

/** The answer is an object, and valid. */
export const isValid = (schema: ProtocolSchema, answer: Heard): Readonly<Record<string, unknown>> => {
  const { error, result } = answer
  hold(error === undefined, 'a result', shown(error))
  const faults = schema.faults(answer)
  hold(faults.length === 0, 'a valid result', `${faults.join('; ')} in ${shown(result)}`)
  hold(isRecord(result), 'an object', shown(result))
  return result
}
