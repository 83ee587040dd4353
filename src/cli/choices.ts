/** What several commands offer alike. */

export const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const
export const PERMISSION_POLICIES = ['ask', 'allow-reads', 'allow', 'deny'] as const

/** For a flag that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]
