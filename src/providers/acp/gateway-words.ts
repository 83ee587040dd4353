/** What another gateway adds to its notifications, so that they arrive as the events they were (law 10). Pure. */
import type { SessionUpdate } from '../../contract/content.ts'
import type { Notice, ProviderEvent } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'

const words = (carrier: unknown): Record<string, unknown> | undefined => {
  const meta = isRecord(carrier) ? carrier['_meta'] : undefined
  const subgate = isRecord(meta) ? meta['subgate'] : undefined
  return isRecord(subgate) ? subgate : undefined
}

/** The update belongs to no turn, though one may be running by now. */
export const saysLate = (params: unknown): boolean => words(params)?.['late'] === true

const SEVERITIES: readonly Notice['severity'][] = ['info', 'warning', 'error']

/** A notice of the other gateway's log; nothing for what this gateway says of the same run itself. */
export const gatewayEvent = (update: SessionUpdate): ProviderEvent | undefined => {
  const said = update.sessionUpdate === 'notice' ? words(update) : undefined
  if (said === undefined) return { type: 'session/update', update }
  const { severity, title, description } = update as Record<string, unknown>
  const data = isRecord(said['data']) ? (said['data'] as JsonObject) : undefined
  if (data?.['notApplied'] !== undefined) return undefined
  return {
    type: 'notice',
    severity: SEVERITIES.find((known) => known === severity) ?? 'info',
    title: String(title),
    ...(typeof description === 'string' && { detail: description }),
    ...(data !== undefined && { data }),
  }
}
