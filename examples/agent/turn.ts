/** One prompt turn as the client sees it: messages, plan, tool calls and permission questions. */
import { randomUUID } from 'node:crypto'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { Problem } from './workspace.ts'

export interface Session {
  readonly id: string
  /** `cwd` first, then the additional directories. */
  readonly roots: readonly string[]
  /** The person chose "always" for edits. */
  editsAllowed: boolean
  /** Stands in for tokens: there is no model that would count them. */
  words: number
}

export interface Tool {
  readonly title: string
  readonly kind: acp.ToolKind
  readonly path?: string
}

const OPTIONS: readonly acp.PermissionOption[] = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always', name: 'Allow all edits in this session', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
]

export class Turn {
  readonly session: Session
  readonly signal: AbortSignal
  readonly #client: acp.AgentContext

  constructor(client: acp.AgentContext, session: Session, signal: AbortSignal) {
    this.#client = client
    this.session = session
    this.signal = signal
  }

  async update(update: acp.SessionUpdate): Promise<void> {
    this.signal.throwIfAborted()
    await this.#send(update)
  }

  #send(update: acp.SessionUpdate): Promise<void> {
    return this.#client.notify(acp.methods.client.session.update, { sessionId: this.session.id, update })
  }

  /** One message, streamed in pieces of about a line. */
  async say(text: string): Promise<void> {
    const messageId = randomUUID()
    for (const piece of text.match(/[^]{1,80}(?:\s+|$)|[^]{1,80}/gv) ?? [])
      await this.update({
        sessionUpdate: 'agent_message_chunk',
        messageId,
        content: { type: 'text', text: piece },
      })
    this.session.words += text.split(/\s+/v).filter(Boolean).length
  }

  /**
   * Shows `work` as a tool call and returns what it found. With a `diff` the person is asked first;
   * undefined = they said no.
   */
  async tool(tool: Tool, work: () => Promise<string>, diff?: acp.Diff): Promise<string | undefined> {
    const toolCallId = randomUUID()
    const content: acp.ToolCallContent[] = diff === undefined ? [] : [{ type: 'diff', ...diff }]
    const { path, ...named } = tool
    const call = { toolCallId, ...named, content, ...(path !== undefined && { locations: [{ path }] }) }
    await this.update({ sessionUpdate: 'tool_call', status: 'pending', ...call })
    const change = { sessionUpdate: 'tool_call_update', toolCallId } as const
    const failed = (text: string): Promise<void> =>
      this.#send({ ...change, status: 'failed', content: [...content, textContent(text)] })
    try {
      if (diff !== undefined && !(await this.#allowed(call))) {
        await failed('Not allowed.')
        return undefined
      }
      await this.update({ ...change, status: 'in_progress' })
      const found = await work()
      await this.update({
        ...change,
        status: 'completed',
        content: diff === undefined ? [textContent(found)] : content,
      })
      return found
    } catch (error) {
      await failed(this.signal.aborted ? 'Cancelled.' : (error as Error).message)
      throw error
    }
  }

  async #allowed(toolCall: acp.ToolCallUpdate): Promise<boolean> {
    if (this.session.editsAllowed) return true
    const { outcome } = await this.#client
      .request(
        acp.methods.client.session.requestPermission,
        { sessionId: this.session.id, toolCall: { ...toolCall, status: 'pending' }, options: [...OPTIONS] },
        { cancellationSignal: this.signal, stopWaitingOnCancel: true },
      )
      .catch((error: Error) => {
        throw new Problem(`I couldn't ask for permission: ${error.message}`, { cause: error })
      })
    this.signal.throwIfAborted()
    if (outcome.outcome !== 'selected') throw new Problem('The question was withdrawn.')
    if (outcome.optionId === 'always') this.session.editsAllowed = true
    return outcome.optionId === 'once' || outcome.optionId === 'always'
  }
}

const textContent = (text: string): acp.ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
})
