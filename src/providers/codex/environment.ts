/** Codex's own variables, by name; every other key stays here. */

/** A trailing `*` matches the rest. */
export const CODEX_VARIABLES: readonly string[] = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_HOME',
  'CODEX_API_KEY',
  'CODEX_CA_CERTIFICATE',
]
