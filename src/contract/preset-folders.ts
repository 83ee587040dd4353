/** The folders of a project that hold presets, nearest in meaning first: our own, and the one that others read too. */

export const OWN_PRESETS = '.subgate/agents'
export const SHARED_PRESETS = '.claude/agents'
export const PRESET_FOLDERS: readonly string[] = [OWN_PRESETS, SHARED_PRESETS]
