/** Subagents on ACP's wire, in the form of SDK 2.4.0 (the RFD "Subagent Sessions"); nothing else knows it. Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'

/** Whether the editor shows subagents as sessions; otherwise no id of one may reach it. */
export const takesSubagents = (clientCapabilities: JsonObject): boolean =>
  isRecord(clientCapabilities['subagents'])

export type ChildState =
  | { readonly is: 'running' | 'asking' | 'unknown' }
  | {
      readonly is: 'idle'
      readonly stopReason?: acp.StopReason | 'error'
      readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
      readonly usage?: acp.Usage
      readonly meta?: JsonObject
    }

export interface ChildPatch {
  readonly title?: string
  readonly description?: string
  readonly cwd?: string
  readonly canCancel?: boolean
  readonly state?: ChildState
  readonly meta?: JsonObject
}

const STATES = { running: 'running', asking: 'requires_action', unknown: 'unknown' } as const

const stateOf = (state: ChildState): object => {
  if (state.is !== 'idle') return { state: STATES[state.is] }
  const { stopReason, error, usage, meta } = state
  return { state: 'idle', ...present({ stopReason, error, usage, _meta: meta && { subgate: meta } }) }
}

/** On its immediate parent's session; the first one announces the child. */
export const childUpdate = (sessionId: string, patch: ChildPatch): SessionUpdate => {
  const { title, description, cwd, canCancel, state, meta } = patch
  return {
    sessionUpdate: 'subagent_update',
    sessionId,
    ...present({ title, description, cwd }),
    ...(canCancel !== undefined && { capabilities: canCancel ? { cancel: {} } : {} }),
    ...(state !== undefined && { state: stateOf(state) }),
    ...(meta !== undefined && { _meta: { subgate: meta } }),
  }
}

export interface Told {
  readonly sender: string
  readonly recipient: string
  /** The message's id in each of the two transcripts. */
  readonly sentId: string
  readonly receivedId: string
  readonly content: readonly ContentBlock[]
}

/** One message as each of the two sessions shows it. */
export const messageUpdates = (
  told: Told,
): { readonly sent: SessionUpdate; readonly received: SessionUpdate } => {
  const { sender, recipient, sentId, receivedId } = told
  const content = [...told.content]
  return {
    sent: {
      sessionUpdate: 'session_message',
      messageId: sentId,
      recipientSessionId: recipient,
      recipientMessageId: receivedId,
      content,
    },
    received: {
      sessionUpdate: 'session_message',
      messageId: receivedId,
      senderSessionId: sender,
      senderMessageId: sentId,
      content,
    },
  }
}

/** Ties a tool call that delegates to the child that it started. */
export const linkUpdate = (toolCallId: string, sessionId: string): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  content: [{ type: 'session', sessionId }],
})

/** The child that an agent of ours announces, or says something new of. */
export const announcedId = (update: SessionUpdate): string | undefined => {
  if (update.sessionUpdate !== 'subagent_update') return undefined
  const { sessionId } = update as { readonly sessionId?: unknown }
  return typeof sessionId === 'string' ? sessionId : undefined
}

export interface Announcement {
  readonly title?: string
  readonly description?: string
  readonly state?: 'running' | 'requires_action' | 'idle' | 'unknown'
  readonly stopReason?: string
  readonly error?: string
  /** In the store of the gateway that announces it. */
  readonly storedAs?: string
}

const KNOWN_STATES = ['running', 'requires_action', 'idle', 'unknown'] as const
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** What an announcement says, for whoever shows it otherwise than by passing it on. */
export const readAnnouncement = (update: SessionUpdate): Announcement => {
  const said = update as Readonly<Record<string, unknown>>
  const state = record(said['state'])
  const subgate = record(record(said['_meta'])['subgate'])
  return present({
    title: text(subgate['label']) ?? text(said['title']),
    description: text(said['description']),
    state: KNOWN_STATES.find((known) => known === state['state']),
    stopReason: text(state['stopReason']),
    error: text(record(state['error'])['message']),
    storedAs: text(subgate['storedAs']),
  })
}

const WITH_CONTENT: ReadonlySet<string> = new Set(['tool_call', 'tool_call_update'])
const SESSION_FIELDS = ['senderSessionId', 'recipientSessionId']

/** Another session's id in every place where an update can hold one; a name that isn't known there is left out. */
export const renamed = (update: SessionUpdate, idOf: (id: string) => string | undefined): SessionUpdate => {
  const { sessionUpdate } = update
  const said = update as Readonly<Record<string, unknown>>
  if (sessionUpdate === 'subagent_update') return { ...update, sessionId: idOf(String(said['sessionId'])) }
  if (sessionUpdate === 'session_message') {
    const ids = SESSION_FIELDS.filter((field) => typeof said[field] === 'string')
    const own = Object.fromEntries(ids.map((field) => [field, idOf(String(said[field]))]))
    return present({ ...update, ...own }) as SessionUpdate
  }
  const { content } = said
  if (!WITH_CONTENT.has(sessionUpdate) || !Array.isArray(content) || !content.some(isLink)) return update
  const named = content.flatMap((part: unknown) => {
    if (!isLink(part)) return [part]
    const sessionId = idOf(part.sessionId)
    return sessionId === undefined ? [] : [{ ...part, sessionId }]
  })
  return { ...update, content: named }
}

const isLink = (part: unknown): part is { readonly sessionId: string } =>
  isRecord(part) && part['type'] === 'session' && typeof part['sessionId'] === 'string'

const BETWEEN: ReadonlySet<string> = new Set(['subagent_update', 'session_message', 'session_message_chunk'])

/** What of an update reaches an editor that knows no subagents. */
export const withoutSubagents = (update: SessionUpdate): SessionUpdate | undefined =>
  BETWEEN.has(update.sessionUpdate) ? undefined : renamed(update, () => undefined)
