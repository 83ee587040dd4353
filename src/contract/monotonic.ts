/** Milliseconds on a clock that only goes forward. Naming the global `performance` loads 1.7 ms of modules at each start. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
