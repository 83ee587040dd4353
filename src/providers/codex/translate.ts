/** Notifications of the Codex app-server as events of a run. Pure and total: no input throws, what is unknown is a notice. */
import type { Notice, ProviderEvent } from '../../contract/events.ts'
import type { SessionUpdate } from '../../contract/content.ts'
import { present } from '../../contract/present.ts'
import { toolShape, toolUpdate } from './items.ts'
import {
  deltaSaid,
  errorSaid,
  itemSaid,
  mcpStatusSaid,
  planSaid,
  read,
  usageSaid,
  warningSaid,
} from './protocol.ts'
import type { CodexItem } from './protocol.ts'

/** What a turn has shown, so that a text that came in pieces isn't said again as a whole. */
export interface Shown {
  /** Items of which a piece was shown. */
  readonly streamed: ReadonlySet<string>
}

export const NOTHING_SHOWN: Shown = { streamed: new Set() }

export interface Translated {
  readonly events: readonly ProviderEvent[]
  readonly shown: Shown
}

const update = (value: SessionUpdate): ProviderEvent => ({ type: 'session/update', update: value })

const chunk = (
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): ProviderEvent => update({ sessionUpdate, content: { type: 'text', text }, messageId })

const notice = (title: string, severity: Notice['severity'], detail?: string): Notice => ({
  type: 'notice',
  severity,
  title,
  ...present({ detail }),
})

const malformed = (method: string): ProviderEvent =>
  notice(`Codex sent "${method}" in a form that isn't known here; it was passed over.`, 'warning')

const DELTAS: Readonly<Record<string, 'agent_message_chunk' | 'agent_thought_chunk'>> = {
  'item/agentMessage/delta': 'agent_message_chunk',
  'item/plan/delta': 'agent_message_chunk',
  'item/reasoning/summaryTextDelta': 'agent_thought_chunk',
  'item/reasoning/textDelta': 'agent_thought_chunk',
}

const PLAN_STATUS: Readonly<Record<string, 'pending' | 'in_progress' | 'completed'>> = {
  pending: 'pending',
  inProgress: 'in_progress',
  completed: 'completed',
}

/** Known, and of no interest to whoever follows a run. */
const SILENT: ReadonlySet<string> = new Set([
  'thread/started',
  'thread/status/changed',
  'thread/name/updated',
  'thread/settings/updated',
  'thread/closed',
  'turn/started',
  'turn/completed',
  'turn/diff/updated',
  'turn/moderationMetadata',
  'item/reasoning/summaryPartAdded',
  'item/commandExecution/outputDelta',
  'item/commandExecution/terminalInteraction',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
  'serverRequest/resolved',
  'rawResponseItem/completed',
  'rawResponse/completed',
  'skills/changed',
  'account/updated',
  'account/rateLimits/updated',
  'thread/readState/changed',
  'remoteControl/status/changed',
  'thread/archived',
  'thread/unarchived',
  'thread/goal/updated',
  'thread/goal/cleared',
  'thread/queue/changed',
  'thread/project/updated',
  'thread/prediction/updated',
  'thread/environment/connected',
  'thread/environment/disconnected',
  'project/changed',
  'modelProvider/authRecoveryStarted',
  'modelProvider/authRecoveryCompleted',
  'app/list/updated',
  'fs/changed',
  'item/autoApprovalReview/started',
  'item/autoApprovalReview/completed',
  'hook/started',
  'hook/completed',
])

export const translate = (method: string, params: unknown, shown: Shown): Translated => {
  const only = (...events: readonly ProviderEvent[]): Translated => ({ events, shown })
  if (SILENT.has(method)) return only()
  const delta = DELTAS[method]
  if (delta !== undefined) {
    const said = read(deltaSaid, params)
    if (said === undefined) return only(malformed(method))
    const streamed = new Set([...shown.streamed, said.itemId])
    return { events: said.delta === '' ? [] : [chunk(delta, said.delta, said.itemId)], shown: { streamed } }
  }
  switch (method) {
    case 'item/started':
    case 'item/completed': {
      const said = read(itemSaid, params)
      if (said === undefined) return only(malformed(method))
      return only(...itemEvents(said.item, method === 'item/completed', shown))
    }
    case 'turn/plan/updated': {
      const said = read(planSaid, params)
      if (said === undefined) return only(malformed(method))
      const entries = said.plan.map(({ step, status }) => ({
        content: step,
        priority: 'medium' as const,
        status: PLAN_STATUS[status] ?? ('pending' as const),
      }))
      return only(update({ sessionUpdate: 'plan', entries }))
    }
    case 'thread/tokenUsage/updated': {
      const said = read(usageSaid, params)
      if (said === undefined) return only(malformed(method))
      const { last, modelContextWindow } = said.tokenUsage
      if (typeof modelContextWindow !== 'number') return only()
      return only(update({ sessionUpdate: 'usage_update', used: last.totalTokens, size: modelContextWindow }))
    }
    case 'error': {
      const said = read(errorSaid, params)
      if (said === undefined) return only(malformed(method))
      // One that isn't tried again ends the turn, and is told by its end.
      return said.willRetry === true
        ? only(notice('Codex tries again.', 'warning', said.error.message))
        : only()
    }
    case 'warning':
    case 'configWarning':
    case 'guardianWarning':
    case 'deprecationNotice': {
      const said = read(warningSaid, params)
      const words = said?.message ?? said?.summary
      if (words === undefined || words === null) return only(malformed(method))
      return only(
        notice(words, method === 'deprecationNotice' ? 'info' : 'warning', said?.details ?? undefined),
      )
    }
    case 'mcpServer/startupStatus/updated': {
      const said = read(mcpStatusSaid, params)
      if (said === undefined) return only(malformed(method))
      return said.status === 'failed'
        ? only(
            notice(`The MCP server "${said.name}" could not be started.`, 'warning', said.error ?? undefined),
          )
        : only()
    }
    case 'model/rerouted':
      return only(notice('Codex moved the turn to another model.', 'info'))
    case 'thread/compacted':
      return only(notice('Codex compacted the conversation.', 'info'))
    default:
      return only(notice(`Codex sent "${method}", which isn't known here.`, 'info'))
  }
}

const itemEvents = (item: CodexItem, completed: boolean, { streamed }: Shown): readonly ProviderEvent[] => {
  if (item.type === 'agentMessage' || item.type === 'plan') {
    const { text } = item
    if (!completed || streamed.has(item.id) || typeof text !== 'string' || text === '') return []
    return [chunk('agent_message_chunk', text, item.id)]
  }
  if (item.type === 'reasoning') {
    const parts = [item['summary'], item['content']].flatMap((list) => (Array.isArray(list) ? list : []))
    const text = parts.filter((part) => typeof part === 'string').join('\n\n')
    return completed && !streamed.has(item.id) && text !== ''
      ? [chunk('agent_thought_chunk', text, item.id)]
      : []
  }
  if (item.type === 'contextCompaction')
    return completed ? [notice('Codex compacted the conversation.', 'info')] : []
  if (item.type === 'error') {
    const words = typeof item['message'] === 'string' ? item['message'] : 'Codex reported an error.'
    return completed ? [notice(words, 'warning')] : []
  }
  if (item.type === 'subAgentActivity') {
    const words = [item['agentPath'], item['kind']].filter((part) => typeof part === 'string').join(': ')
    return completed ? [notice(`An agent that Codex runs by itself: ${words || 'active'}.`, 'info')] : []
  }
  const shape = toolShape(item)
  if (shape !== undefined) return [update(toolUpdate(item, shape, completed ? 'completed' : 'started'))]
  // What was sent to the agent comes back as items; nothing else is passed over without a word.
  if (OWN_ITEMS.has(item.type)) return []
  return completed ? [notice(`Codex did something that isn't known here: "${item.type}".`, 'info')] : []
}

const OWN_ITEMS: ReadonlySet<string> = new Set([
  'userMessage',
  'hookPrompt',
  'functionCallOutput',
  'enteredReviewMode',
  'exitedReviewMode',
])
