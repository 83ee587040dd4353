/** Agent processes, and turns, that several checks use: for agents that take long to start. */
import { isRecord } from '../../contract/json.ts'
import { Conversation } from './conversation.ts'
import type { AgentFacts } from './facts.ts'
import type { AgentLink, StartAgent } from './link.ts'
import type { Settings } from './options.ts'

/** A link whose reader changes with the conversation on it. */
const relay = (link: AgentLink): AgentLink => {
  let hear: (bytes: Uint8Array) => void = () => {}
  link.read((bytes) => hear(bytes))
  return {
    write: (line) => link.write(line),
    endInput: () => link.endInput(),
    read: (chunk) => {
      hear = chunk
    },
    exited: link.exited,
    stderr: () => link.stderr(),
    mask: (text) => link.mask(text),
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  }
}

export interface Talk {
  readonly conversation: Conversation
  readonly sessionId: string
}

export class ReusedAgents implements AsyncDisposable {
  readonly #start: StartAgent
  readonly #settings: Settings
  readonly #closes: boolean
  readonly #idle: Conversation[] = []
  #saying: Promise<unknown> = Promise.resolve()
  #talk: Promise<Talk> | undefined
  #talking: Conversation | undefined
  readonly #played = new Map<string, Promise<unknown>>()

  constructor(start: StartAgent, settings: Settings, { capabilities }: AgentFacts) {
    this.#start = start
    this.#settings = settings
    const session = capabilities['sessionCapabilities']
    this.#closes = isRecord(session) && isRecord(session['close'])
  }

  /** The same for all that ask for it by this name, whoever comes first: what was played is over by then. */
  once<T>(name: string, play: () => Promise<T>): Promise<T> {
    const played = (this.#played.get(name) as Promise<T> | undefined) ?? play()
    this.#played.set(name, played)
    return played
  }

  /** One after another, what is said in one session of all. */
  talk<T>(say: (session: Talk) => Promise<T>): Promise<T> {
    const said = this.#saying.then(async () => say(await (this.#talk ??= this.#open())))
    this.#saying = said.catch(() => undefined)
    return said
  }

  async #open(): Promise<Talk> {
    const conversation = await this.take()
    this.#talking = conversation
    const { sessionId } = await conversation.prepared('session/new', conversation.sessionParams())
    return { conversation, sessionId: String(sessionId) }
  }

  /** Initialized without any capability of a client; nothing else of what was said before is heard in it. */
  async take(): Promise<Conversation> {
    for (let before = this.#idle.pop(); before !== undefined; before = this.#idle.pop()) {
      if (!before.exited) return before.successor()
      await before[Symbol.asyncDispose]()
    }
    const conversation = new Conversation(relay(await this.#start()), this.#settings)
    await conversation.prepared('initialize', conversation.initializeParams()).catch(async (error) => {
      await conversation[Symbol.asyncDispose]()
      throw error
    })
    return conversation
  }

  /** Its sessions are closed where the agent can; one that was left in any other state is ended. */
  async release(conversation: Conversation): Promise<void> {
    if (!conversation.spent && (await this.#closed(conversation))) this.#idle.push(conversation)
    else await conversation[Symbol.asyncDispose]()
  }

  async #closed(conversation: Conversation): Promise<boolean> {
    for (const sessionId of this.#closes ? conversation.sessions : [])
      try {
        await conversation.request('session/close', { sessionId })
      } catch {
        return false
      }
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = [...this.#idle.splice(0), ...(this.#talking === undefined ? [] : [this.#talking])]
    await Promise.all(left.map((conversation) => conversation[Symbol.asyncDispose]()))
  }
}
