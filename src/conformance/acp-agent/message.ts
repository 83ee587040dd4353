/** One line that the agent wrote, read strictly: what is no JSON-RPC 2.0 object is noise. Pure. */
import { isRecord } from '../../contract/json.ts'

export interface Heard {
  readonly text: string
  readonly kind: 'request' | 'notification' | 'response' | 'noise'
  /** The parsed line; undefined where it is no JSON. */
  readonly value: unknown
  readonly id?: unknown
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: unknown; readonly message: unknown; readonly data?: unknown }
  /** The method of our request that it answers. */
  readonly answers?: string
}

export const readHeard = (text: string, methodOf: (id: unknown) => string | undefined): Heard => {
  const value = parsed(text)
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return { text, kind: 'noise', value }
  const { id, method, params, result, error } = value
  if (typeof method === 'string') {
    const kind = 'id' in value ? 'request' : 'notification'
    return { text, kind, value, method, params, ...('id' in value && { id }) }
  }
  if (!('id' in value) || !('result' in value || 'error' in value)) return { text, kind: 'noise', value }
  const answers = methodOf(id)
  return {
    text,
    kind: 'response',
    value,
    id,
    ...('result' in value && { result }),
    ...(isRecord(error) && { error: error as unknown as Heard['error'] & object }),
    ...(answers !== undefined && { answers }),
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The update of a `session/update`, with the session that it belongs to. */
export interface Update {
  readonly sessionId: unknown
  readonly update: Readonly<Record<string, unknown>>
}

export const updateOf = ({ kind, method, params }: Heard): Update | undefined =>
  kind === 'notification' && method === 'session/update' && isRecord(params) && isRecord(params['update'])
    ? { sessionId: params['sessionId'], update: params['update'] }
    : undefined

/** The text of these updates of one kind, joined. */
export const textIn = (updates: readonly Update[], kind: string): string =>
  updates
    .filter(({ update }) => update['sessionUpdate'] === kind)
    .map(({ update: { content } }) =>
      isRecord(content) && typeof content['text'] === 'string' ? content['text'] : '',
    )
    .join('')

export const STOP_REASONS: readonly unknown[] = [
  'end_turn',
  'max_tokens',
  'max_turn_requests',
  'refusal',
  'cancelled',
]

export const stopReasonOf = ({ result }: Heard): unknown =>
  isRecord(result) ? result['stopReason'] : undefined
