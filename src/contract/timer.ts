/** A timer that doesn't overflow (C30). Whoever sets one disposes it, so that none outlives its run. */

const LONGEST = 2 ** 31 - 1

/** Calls once after `ms`, which may be longer than the platform's timers can count. `idle`: keeps no process alive. */
export const after = (
  ms: number,
  call: () => void,
  { idle = false }: { readonly idle?: boolean } = {},
): Disposable => {
  let handle: NodeJS.Timeout
  const wait = (left: number): void => {
    const step = Math.min(left, LONGEST)
    handle = setTimeout(() => (left > step ? wait(left - step) : call()), step)
    if (idle) handle.unref()
  }
  wait(ms)
  return { [Symbol.dispose]: () => clearTimeout(handle) }
}
