/** Puts one event of a log into a word and a text; what tells a person nothing gives none. Pure. */
import { isUpdate } from '../../contract/content.ts'
import type { SessionUpdate, ToolCallUpdate } from '../../contract/content.ts'
import type {
  PermissionRequested,
  RunSettled,
  SessionEvent,
  SubagentDescriptor,
} from '../../contract/events.ts'
import type { Letter } from '../../contract/letters.ts'
import { blockText, promptText } from './summary.ts'
import { took, usageWords } from './words.ts'

export interface Fact {
  readonly word: string
  /** May be of several lines. */
  readonly text: string
}

const fact = (word: string, ...parts: readonly (string | undefined)[]): readonly Fact[] => [
  { word, text: parts.filter((part) => part !== undefined && part !== '').join(' ') },
]

/** `titleOf` knows a tool call by what was said of it before. */
export const factOf = (
  event: SessionEvent,
  titleOf: (toolCallId: string) => string | undefined,
): readonly Fact[] => {
  switch (event.type) {
    case 'run/started':
      return [
        ...fact('started', event.provider, event.label && `(${event.label})`),
        ...(event.prompt === undefined ? [] : fact('asked', promptText(event))),
      ]
    case 'run/settled':
      return settled(event)
    case 'permission/requested':
      return fact('asks', question(event, titleOf))
    case 'permission/resolved':
      return fact('answered', `by ${event.by}`)
    case 'elicitation/requested':
      return fact('asks', event.message)
    case 'elicitation/resolved':
      return fact('answered', event.action)
    case 'notice':
      return fact(event.severity === 'info' ? 'notice' : event.severity, event.title, event.detail)
    case 'approval/asked':
      return fact('approval', event.title, `(${event.reason})`)
    case 'approval/decided':
      return fact('approval', event.decision, `by ${event.by}`)
    case 'letter/received':
      return letter(event.letter)
    case 'session/update':
      return updated(event.update, titleOf)
    case 'session/late_update':
      return fact('late', event.update.sessionUpdate)
    case 'subagent/update':
      return fact('subagent', event.childId, event.update.sessionUpdate)
    case 'session/native_id':
      return fact('agent id', event.nativeId)
    case 'permission/preset':
      return fact('policy', `permission preset ${event.preset}`)
    case 'sandbox/mode':
      return fact('policy', `sandbox ${event.mode}`)
    case 'approval/policy':
      return fact(
        'policy',
        event.policy === 'never' ? 'approvals are never given' : 'approvals are asked for',
      )
    case 'subagent/descriptor':
      return fact('created', descriptor(event))
  }
}

const settled = ({ status, category, durationMs, usage, denied, error }: RunSettled): readonly Fact[] => [
  ...fact(
    'settled',
    status.replace('_', ' '),
    category && `(${category})`,
    `after ${took(durationMs)}`,
    usage && `· ${usageWords(usage)}`,
  ),
  ...denied.flatMap(({ title, flag }) => fact('denied', title, `(${flag} would allow it)`)),
  ...(error === undefined ? [] : fact('error', error.message)),
]

const question = (
  { path, toolCall }: PermissionRequested,
  titleOf: (toolCallId: string) => string | undefined,
): string => {
  const who = path.length === 0 ? '' : `${path.join('/')}: `
  return `${who}${callWords(toolCall, titleOf)}`
}

const callWords = (
  { toolCallId, title, kind }: ToolCallUpdate,
  titleOf: (toolCallId: string) => string | undefined,
): string => {
  const name = title || titleOf(toolCallId) || 'a tool call'
  return kind ? `${name} (${kind})` : name
}

const updated = (
  update: SessionUpdate,
  titleOf: (toolCallId: string) => string | undefined,
): readonly Fact[] => {
  if (isUpdate(update, 'tool_call') || isUpdate(update, 'tool_call_update')) {
    const known = titleOf(update.toolCallId)
    if (update.status === 'completed') return fact('done', callWords(update, titleOf))
    if (update.status === 'failed') return fact('failed', callWords(update, titleOf))
    return known === undefined ? fact('tool', callWords(update, titleOf)) : []
  }
  if (isUpdate(update, 'plan'))
    return fact(
      'plan',
      update.entries
        .map(({ status, content }) => `${status === 'completed' ? '[x]' : '[ ]'} ${content}`)
        .join('\n'),
    )
  if (isUpdate(update, 'current_mode_update')) return fact('mode', update.currentModeId)
  return []
}

const descriptor = ({ provider, mode, label, preset, model }: SubagentDescriptor): string =>
  [provider, mode, label && `(${label})`, preset && `preset ${preset}`, model && `model ${model}`]
    .filter(Boolean)
    .join(' ')

const letter = (received: Letter): readonly Fact[] => {
  const from = received.from ?? 'you'
  switch (received.kind) {
    case 'message':
      return fact('message', `from ${from}:`, received.content.map(blockText).join('\n'))
    case 'report':
      return fact('report', `from ${received.label ?? from}:`, received.text)
    case 'settled':
      return fact('settled', `${received.label ?? from}:`, received.status.replace('_', ' '))
    case 'interrupt':
      return fact('message', `from ${from}: stop`)
  }
}
