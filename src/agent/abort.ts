/** Waiting for something that a cancel need not wait for. */

export const ABORTED: unique symbol = Symbol('aborted')

/** The promise's own outcome, or `ABORTED` as soon as the signal aborts; a rejection after that is dropped. */
export const orAborted = async <T>(
  what: PromiseLike<T>,
  signal: AbortSignal,
): Promise<T | typeof ABORTED> => {
  const aborted = Promise.withResolvers<typeof ABORTED>()
  const abort = (): void => aborted.resolve(ABORTED)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([what, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
