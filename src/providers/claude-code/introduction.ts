/**
 * The handshake's first request: hooks, instructions and schema. Of these a command line could hold little, and
 * anybody can read it. Pure.
 */
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'

/** Seconds. A question may wait for a person for days, and a hook that gave up would let the call through. */
const HOOK_SECONDS = 7 * 24 * 3600

const HOOKS = {
  PreToolUse: [{ matcher: null, hookCallbackIds: ['before'], timeout: HOOK_SECONDS, onFailure: 'block' }],
}

/** `opened` is what the session stands for, `request` what its next turn asks. */
export const introduction = (
  { preset, persona }: Pick<ResolvedStartRequest, 'preset' | 'persona'>,
  { outputSchema }: Pick<ResolvedStartRequest, 'outputSchema'>,
): JsonObject => {
  const { instructions } = preset ?? {}
  const replaced = persona ?? (instructions?.mode === 'replace' ? instructions.text : undefined)
  return {
    subtype: 'initialize',
    hooks: HOOKS,
    ...present({
      systemPrompt: replaced === undefined ? undefined : [replaced],
      appendSystemPrompt: instructions?.mode === 'append' ? instructions.text : undefined,
      jsonSchema: outputSchema,
    }),
  }
}
