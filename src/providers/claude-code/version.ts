/** Which Claude Code answers: what its handshake must say before its hooks can be relied upon. Pure. */

/** Older ones were not tried: their switches for sub-agents, and what a failing hook does, may be others. */
export const OLDEST: readonly [number, number, number] = [2, 1, 332]

export const versionOf = (said: unknown): readonly number[] | undefined => {
  const [, ...parts] = typeof said === 'string' ? (/^(\d+)\.(\d+)\.(\d+)/u.exec(said) ?? []) : []
  return parts.length === 0 ? undefined : parts.map(Number)
}

export const tooOld = (found: readonly number[]): boolean => {
  const at = OLDEST.findIndex((part, index) => part !== found[index])
  return at !== -1 && (found[at] ?? 0) < (OLDEST[at] ?? 0)
}
