/** What the preset of an untrusted project may say: it chooses and narrows, and no more. Pure. */
import type { Preset } from '../contract/request.ts'
import { UNTRUSTED_SANDBOX } from './keys.ts'

export interface WithheldPresetKey {
  readonly key: string
  readonly reason: string
}

export interface Ruled {
  readonly preset: Preset
  readonly withheld: readonly WithheldPresetKey[]
}

/** Nothing is asked for in its place: as if the key stood not there. */
export const ruled = (preset: Preset): Ruled => {
  const { sandbox, ...rest } = preset
  if (sandbox === undefined || UNTRUSTED_SANDBOX[sandbox]) return { preset, withheld: [] }
  return { preset: rest, withheld: [{ key: 'permissionMode', reason: 'it is wider than "workspace-write"' }] }
}
