/** The chats of one editor's connection: made, opened again, copied, listed, closed and taken away. */
import { randomUUID } from 'node:crypto'
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import { Chat } from './chat.ts'
import type { ChatOptions } from './chat.ts'
import { ChatChoices } from './choices.ts'
import type { OfferedPreset } from './commands.ts'
import { onlyCancel, unknownSession } from './errors.ts'
import type { FaceHost, StoredChat } from './host.ts'
import { sortServers } from './mcp-servers.ts'
import type { Controls } from './options.ts'
import { offeredPresets } from './offered-presets.ts'
import { readList, readSession, readSessionId, showsSwitches, withServers } from './params.ts'
import type { FaceControls, SessionRequest, Takes } from './params.ts'
import type { Served } from './served.ts'
import { ChatStates } from './states.ts'
import { endsOf, heldBy, isDelegated, listChats, sessionsOf, titleOf } from './stored-chats.ts'
import { Voice } from './voice.ts'

export interface ChatsOptions {
  readonly host: FaceHost
  readonly served: Served
  /** Asked for by whoever started the face; a session's or prompt's own `_meta.subgate` goes before it. */
  readonly controls: FaceControls
  readonly client: () => acp.AgentContext
  readonly takes: () => Takes
  readonly clientCapabilities: () => JsonObject
  readonly log: Logger
}

/** What a chat begins with, beside its parameters. */
interface Beginning {
  readonly link: ChatOptions['link']
  readonly sessions: readonly StoredChat[]
  readonly copies?: ChatOptions['copies']
  readonly agent?: string
}

type Answer = ReturnType<ChatStates['answered']>

export class Chats {
  readonly #options: ChatsOptions
  readonly #open = new Map<string, Chat>()

  constructor(options: ChatsOptions) {
    this.#options = options
  }

  get open(): readonly Chat[] {
    return [...this.#open.values()]
  }

  get(id: string): Chat {
    const chat = this.#open.get(id)
    if (chat !== undefined) return chat
    throw this.open.some(({ children }) => children.knows(id)) ? onlyCancel(id) : unknownSession(id)
  }

  find(id: string): Chat | undefined {
    return this.#open.get(id)
  }

  /** Gated here, so that an editor learns what is refused before it has a chat. */
  async create(params: unknown): Promise<acp.NewSessionResponse> {
    const request = readSession(params, this.#options.controls, this.#options.takes().echoes)
    const chat = await this.#begin(request, { link: { id: newId() }, sessions: [] })
    return { sessionId: chat.id, ...this.#answer(chat) }
  }

  /** All that was said is shown before the answer. */
  async load(params: unknown): Promise<Answer> {
    const fresh = !this.#open.has(readSessionId(params))
    const chat = await this.#reopen(params)
    const { host, takes } = this.#options
    const { link, voice } = chat.options
    await chat.retell(fresh)
    const title = titleOf(host.store, link.id)
    if (title !== '' && !takes().echoes)
      await voice.notify({ update: { sessionUpdate: 'session_info_update', title } })
    return this.#answer(chat, true)
  }

  async resume(params: unknown): Promise<Answer> {
    return this.#answer(await this.#reopen(withServers(params)), true)
  }

  /** A chat of its own, which begins with what the other one holds by now. */
  async fork(params: unknown): Promise<acp.ForkSessionResponse> {
    const { controls, takes } = this.#options
    const sessionId = readSessionId(params)
    const source = this.#open.get(sessionId)
    if (source?.turn !== undefined)
      throw busy(sessionId, 'A prompt of it is open here. Wait for it, or cancel it.')
    const sessions = await this.#stored(sessionId, source)
    const last = newest(sessions)
    const agent = source?.options.choices.agent
    const own = sessions.findLast(({ header }) => header.provider === (agent ?? last?.header.provider))
    const chat = await this.#begin(readSession(withServers(params), controls, takes().echoes), {
      link: { id: newId(), from: { id: sessionId, until: Date.now() } },
      sessions: [],
      ...present({
        agent: agent ?? last?.header.provider,
        copies: own && { agent: own.header.provider, sessionId: own.header.id },
      }),
    })
    return { sessionId: chat.id, ...this.#answer(chat) }
  }

  list(params: unknown): acp.ListSessionsResponse {
    const { host, served } = this.#options
    const { chats, next } = listChats(host.store, {
      ...readList(params),
      ...present({ provider: served.pinned }),
    })
    return {
      sessions: chats.map(({ id, cwd, title, at }) => ({
        sessionId: id,
        cwd,
        ...(title !== '' && { title }),
        updatedAt: new Date(at).toISOString(),
      })),
      ...(next !== undefined && { nextCursor: next }),
    }
  }

  async close(id: string): Promise<object> {
    const chat = this.get(id)
    this.#open.delete(id)
    await chat.end()
    return {}
  }

  /** For good, with all that it started; of one that is gone already nothing is said. */
  async delete(id: string): Promise<object> {
    const { host } = this.#options
    await host.recovered
    const open = this.#open.get(id)
    const sessions = sessionsOf(host.store, id)
    refuseHeld(id, sessions)
    this.#open.delete(id)
    await open?.end()
    const roots = sessions.filter((session) => !isDelegated(session, sessions)).map(({ header }) => header.id)
    if (roots.length > 0) await host.remove(roots)
    const left = sessionsOf(host.store, id)
    if (left.length > 0) throw busy(id, 'Something of it still runs. Close it there, and delete it again.')
    return {}
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const chats = this.open
    this.#open.clear()
    await Promise.all(chats.map((chat) => chat.end()))
  }

  #answer(chat: Chat, reopened = false): Answer {
    if (this.#options.takes().echoes) return {}
    const { states } = chat.options
    // What the next prompt begins is told by its turn.
    const goOn = reopened ? chat.continuing() : undefined
    // What is written before the answer would be of a session that the editor doesn't know yet.
    setTimeout(() => {
      void states.showCommands().catch(() => {})
      void goOn?.()
    }, 0)
    return states.answered()
  }

  async #reopen(params: unknown): Promise<Chat> {
    const { controls, takes } = this.#options
    const sessionId = readSessionId(params)
    const open = this.#open.get(sessionId)
    if (open?.turn !== undefined)
      throw busy(sessionId, 'A prompt of it is open here. Wait for it, or cancel it.')
    const request = readSession(params, controls, takes().echoes)
    const sessions = await this.#stored(sessionId, open)
    if (open !== undefined) return open
    const origin = sessions.find(({ header }) => header.chat?.from !== undefined)?.header.chat?.from
    return this.#begin(request, {
      link: { id: sessionId, ...present({ from: origin }) },
      sessions,
      ...present({ agent: newest(sessions)?.header.provider }),
    })
  }

  async #stored(id: string, open: Chat | undefined): Promise<readonly StoredChat[]> {
    const { host } = this.#options
    await host.recovered
    const sessions = sessionsOf(host.store, id)
    if (sessions.length === 0 && open === undefined) throw unknownSession(id)
    refuseHeld(id, sessions)
    return sessions
  }

  async #begin(request: SessionRequest, { link, sessions, agent, copies }: Beginning): Promise<Chat> {
    const { host, served, client, takes, clientCapabilities, log } = this.#options
    const { model, effort, sandbox, permission, maxDepth, ...base } = request
    const usable = await served.agents()
    const own = newest(sessions)
    const stored = own === undefined ? {} : standing(own)
    const asked = present({ model, effort, sandbox, permission, maxDepth })
    const choices = new ChatChoices({
      host,
      usable,
      agents: served.pinned === undefined ? usable : [],
      agent: await served.choose(agent),
      controls: own?.header.provider === agent ? { ...stored, ...asked } : asked,
      booleans: showsSwitches(clientCapabilities()),
    })
    let presets: readonly OfferedPreset[] = []
    const voice = new Voice(link.id, client(), takes())
    const states = new ChatStates(choices, voice, () => presets)
    const chat = new Chat({
      link,
      base,
      host,
      choices,
      voice,
      states,
      log,
      client: client(),
      takes: takes(),
      clientCapabilities: clientCapabilities(),
      roots: [base.cwd ?? '/', ...(base.additionalDirectories ?? [])],
      presets: () => presets,
      seats: seatsOf(sessions),
      told: endsOf(host.store, sessions),
      titled: sessions.length > 0,
      spoke: (name) => served.spoke(name),
      ...present({ copies }),
    })
    await this.check(chat)
    if (!takes().echoes) presets = await offeredPresets(host, base.cwd ?? '/', choices.rows())
    this.#open.set(link.id, chat)
    return chat
  }

  /** All that the next prompt would be refused for by now. */
  async check(chat: Chat): Promise<void> {
    const { host, takes } = this.#options
    const { mcpServers = [], preset, ...request } = chat.request
    const rows = chat.options.choices.rows()
    const servers = takes().echoes ? mcpServers : sortServers(mcpServers, rows.mcpServers).taken
    const asked: SubagentStartRequest = {
      ...request,
      prompt: PLACEHOLDER,
      ...(servers.length > 0 && { mcpServers: servers }),
      ...this.#origin(chat, preset),
    }
    await host.runtime.check(await host.rootRequest(asked))
  }

  /** Another gateway is told by now when a session can't be gone on with; for an editor a new one is begun. */
  #origin(chat: Chat, preset: string | undefined): Partial<SubagentStartRequest> {
    const { seat } = chat
    const { copies } = chat.copying
    if (!this.#options.takes().echoes || (seat ?? copies) === undefined)
      return seat === undefined && preset !== undefined ? { preset } : {}
    if (seat !== undefined) return { session: { from: 'resume', sessionId: seat } }
    return copies === undefined ? {} : { session: { from: 'fork', sessionId: copies.sessionId } }
  }
}

const newId = (): string => `ses_${randomUUID().replaceAll('-', '').slice(0, 20)}`

/** A check needs a prompt, and knows none yet. */
const PLACEHOLDER: acp.ContentBlock[] = [{ type: 'text', text: '' }]

const own = (sessions: readonly StoredChat[]): readonly StoredChat[] =>
  sessions.filter((session) => !isDelegated(session, sessions))

/** The session of the agent that spoke last. */
const newest = (sessions: readonly StoredChat[]): StoredChat | undefined =>
  own(sessions).toSorted((one, other) => other.at - one.at)[0]

const seatsOf = (sessions: readonly StoredChat[]): ReadonlyMap<string, SessionId> =>
  new Map(own(sessions).map(({ header }) => [header.provider, header.id]))

/** What a stored session stands under, so that it is gone on with as it was. */
const standing = ({ registers }: StoredChat): Controls =>
  present({ sandbox: registers.sandbox, model: registers.descriptor?.model })

const refuseHeld = (id: string, sessions: readonly StoredChat[]): void => {
  const pid = heldBy(sessions)
  if (pid !== undefined)
    throw busy(id, `It is open in another process (${pid}): close it there, or open a copy of it.`)
}

const busy = (sessionId: string, why: string): SubagentError =>
  new SubagentError('SESSION_BUSY', 'resolve', `The chat ${sessionId} can't be had now. ${why}`, {
    sessionId,
  })
