/** For each capability a request that asks for it, and the same request without. */
import { CATALOG } from '../capabilities/catalog.ts'
import type { CapabilityId } from '../contract/capabilities.ts'
import type { ContentBlock } from '../contract/content.ts'
import type { Preset } from '../contract/request.ts'
import type { Place } from './fixture.ts'
import type { Start } from './stage.ts'

export interface Asking {
  readonly request: Partial<Start>
  readonly content?: readonly ContentBlock[]
  readonly preset?: Partial<Preset>
}

/** A steer is asked for in mid-turn, a resume or fork of something that was: those have no request of their own. */
export const ASKING: { readonly [Id in CapabilityId]?: (place: Place) => Asking } = {
  depthLimit: () => ({ request: { maxDepth: 0 } }),
  persona: () => ({ request: {}, preset: { instructions: { mode: 'append', text: '' } } }),
  toolFilter: () => ({ request: {}, preset: { tools: { allow: [] } } }),
  sandbox: () => ({ request: { sandbox: 'read-only' } }),
  permissions: () => ({ request: { permission: 'deny' } }),
  outputSchema: () => ({ request: { outputSchema: {} } }),
  images: () => ({ request: {}, content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
  audio: () => ({ request: {}, content: [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }] }),
  resources: () => ({
    request: {},
    content: [{ type: 'resource', resource: { uri: 'memo:conformance', text: 'memo' } }],
  }),
  additionalDirectories: ({ elsewhere }) => ({ request: { additionalDirectories: [elsewhere] } }),
  model: () => ({ request: { model: 'conformance' } }),
  effort: () => ({ request: { effort: 'high' } }),
  mcpServers: () => ({
    request: { mcpServers: [{ name: 'conformance', command: '/bin/false', args: [], env: [] }] },
  }),
  resume: () => ({ request: { keep: true } }),
  maxTurns: () => ({ request: { limits: { maxTurns: 1 } } }),
  maxTokens: () => ({ request: { limits: { maxTokens: 1 } } }),
  maxCostUsd: () => ({ request: { limits: { maxCostUsd: 0 } } }),
}

const PRESET_NAME = 'conformance'

/** One start that asks for all of these rows, and the preset that it names. */
export const asking = (
  base: Start,
  rows: readonly CapabilityId[],
  place: Place,
): { readonly start: Start; readonly preset?: Preset } => {
  const asks = rows.flatMap((row) => ASKING[row]?.(place) ?? [])
  const limits = Object.assign({}, ...asks.map(({ request }) => request.limits ?? {})) as object
  const parts = asks.flatMap(({ preset }) => preset ?? [])
  const start: Start = {
    ...base,
    ...(Object.assign({}, ...asks.map(({ request }) => request)) as Partial<Start>),
    prompt: [...base.prompt, ...asks.flatMap(({ content }) => content ?? [])],
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(parts.length > 0 && { preset: PRESET_NAME }),
  }
  return parts.length === 0
    ? { start }
    : { start, preset: Object.assign({ name: PRESET_NAME }, ...parts) as Preset }
}

export const asksFor = (row: CapabilityId, start: Start, preset: Preset | undefined): boolean =>
  CATALOG[row].asks({ request: start, ...(preset !== undefined && { preset }) }).length > 0

const BLOCK: { readonly [Id in CapabilityId]?: ContentBlock['type'] } = {
  images: 'image',
  audio: 'audio',
  resources: 'resource',
}

const drop = <T extends object>(value: T, key: string): T =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as T

type Contrast = (start: Start) => Start

const field =
  (name: keyof Start): Contrast =>
  (start) =>
    drop(start, name)
const blocks =
  (row: CapabilityId): Contrast =>
  (start) => ({ ...start, prompt: start.prompt.filter(({ type }) => type !== BLOCK[row]) })
const limit =
  (name: string): Contrast =>
  (start) => ({ ...start, limits: drop(start.limits ?? {}, name) })

const CONTRAST: { readonly [Id in CapabilityId]: Contrast } = {
  depthLimit: field('maxDepth'),
  persona: field('preset'),
  toolFilter: field('preset'),
  sandbox: (start) => ({ ...start, sandbox: 'danger-full-access' }),
  permissions: (start) => ({ ...start, permission: 'allow' }),
  outputSchema: field('outputSchema'),
  images: blocks('images'),
  audio: blocks('audio'),
  resources: blocks('resources'),
  additionalDirectories: field('additionalDirectories'),
  model: field('model'),
  effort: field('effort'),
  mcpServers: field('mcpServers'),
  resume: field('session'),
  fork: field('session'),
  steer: (start) => start,
  maxTurns: limit('maxTurns'),
  maxTokens: limit('maxTokens'),
  maxCostUsd: limit('maxCostUsd'),
}

/** The contrast: the same start, but nobody asks for this row. */
export const withoutControl = (row: CapabilityId, start: Start): Start => CONTRAST[row](start)
