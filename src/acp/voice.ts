/** What the face itself says in a chat, and how it reaches the editor: in order, each taken before the next. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SessionUpdate } from '../contract/content.ts'
import type { Takes } from './params.ts'
import { Updates } from './stream.ts'
import type { Notification } from './updates.ts'

export class Voice {
  readonly #sessionId: string
  readonly #client: acp.AgentContext
  readonly #takes: Takes
  #said = 0

  constructor(sessionId: string, client: acp.AgentContext, takes: Takes) {
    this.#sessionId = sessionId
    this.#client = client
    this.#takes = takes
  }

  async notify(notification: { readonly update: SessionUpdate; readonly _meta?: object }): Promise<void> {
    const params = { sessionId: this.#sessionId, ...notification } as acp.SessionNotification
    await this.#client.notify('session/update', params)
  }

  /** All of them in one piece. */
  async pass(said: readonly Notification[]): Promise<void> {
    if (said.length === 0) return
    const params: unknown = new Updates(this.#sessionId, said)
    await this.#client.notify('session/update', params as acp.SessionNotification)
  }

  /** As a message of its own. */
  async say(text: string): Promise<void> {
    this.#said += 1
    const messageId = `subgate-${this.#said}`
    await this.notify({
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId },
    })
  }

  /** To an editor that shows no notices, as a message. */
  async note(title: string): Promise<void> {
    if (!this.#takes.notices) return this.say(`_${title}_\n\n`)
    await this.notify({ update: { sessionUpdate: 'notice', severity: 'info', title } })
  }
}
