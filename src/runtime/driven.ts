/** From the publication of a run on, whoever aborts its start cancels the run. */
import type { LiveRun } from './live-run.ts'

export const anyOf = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((each) => each !== undefined))

/** Sets the run going; `caller` is heard until it has settled, `start` has been heard up to now. */
export const driven = (run: LiveRun, caller: AbortSignal | undefined, start: AbortSignal): LiveRun => {
  const cancel = (): void => run.cancel()
  caller?.addEventListener('abort', cancel, { once: true })
  if (start.aborted) run.cancel()
  void run.drive().then(() => caller?.removeEventListener('abort', cancel))
  return run
}
