/** One step with its retries: only while nothing of it was said, so that nothing is said twice. */
import { ABORTED } from './abort.ts'
import type { Clock } from './clock.ts'
import { retryAfter } from './model-faults.ts'
import type { FaultReader, RetryPolicy } from './model-faults.ts'
import { runStep } from './step.ts'
import type { StepOptions, StepOutcome } from './step.ts'

export interface AttemptOptions extends StepOptions {
  readonly faults: FaultReader
  readonly retry: RetryPolicy
  readonly clock: Clock
}

/** Rejects with a `SubagentError` when the model failed for good. */
export const attemptStep = async (
  options: AttemptOptions,
): Promise<StepOutcome | 'context_overflow' | typeof ABORTED> => {
  const { model, transcript, signal, faults, retry, clock } = options
  for (let attempt = 1; ; attempt += 1) {
    const { said } = transcript
    try {
      return await runStep(options)
    } catch (error) {
      if (signal.aborted) return ABORTED
      const fault = faults.read(error, attempt)
      if (fault.kind === 'context_overflow') return fault.kind
      const delay = transcript.said === said ? retryAfter(attempt, fault, retry) : undefined
      if (delay === undefined) throw fault.error
      transcript.notice(
        `The model ${model.modelId} failed; asking again in ${delay / 1000} s.`,
        fault.error.message,
      )
      await clock.sleep(delay, signal)
      if (signal.aborted) return ABORTED
    }
  }
}
