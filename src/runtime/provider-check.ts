/** What a provider itself has against a start, heard before anything of it happens. */
import { SubagentError } from '../contract/errors.ts'
import type { SubagentProvider } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import { asFault } from './ending.ts'

/** Throws its refusal as it is, and whatever else it throws or hands back as its fault. */
export const checkByProvider = (provider: SubagentProvider, request: ResolvedStartRequest): void => {
  const answer = answerOf(provider, request)
  if (answer === undefined) return
  // Nobody waits for a promise here, and so nobody may be left with what it rejects with.
  void Promise.resolve(answer).catch(() => {})
  throw new SubagentError(
    'PROVIDER_FAULT',
    'resolve',
    `The "check" of the provider ${provider.name} gave an answer. It must throw a refusal or return nothing, at once.`,
    { provider: provider.name },
  )
}

const answerOf = (provider: SubagentProvider, request: ResolvedStartRequest): unknown => {
  try {
    return provider.check?.(request)
  } catch (error) {
    throw asFault(error, provider.name, 'resolve')
  }
}
