/** A session under `auto` with no reviewer to classify its calls: it may read, and nothing else (B5 fails closed). */
import type { PreToolHook } from '../../agent/hooks.ts'

export const unreviewedAuto =
  (preset: () => string | undefined): PreToolHook =>
  ({ kind }) =>
    preset() !== 'auto' || kind === 'read' || kind === 'search'
      ? undefined
      : {
          verdict: 'deny',
          reason: 'the session is under "auto", and no reviewer is here to classify the call',
        }
