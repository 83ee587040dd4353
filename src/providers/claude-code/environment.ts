/** Claude Code's own variables by name, and what every start of it sets. */

/** A trailing `*` matches the rest. Markers of a session around this one are none of them. */
export const CLAUDE_VARIABLES: readonly string[] = [
  'ANTHROPIC_*',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_*',
  'CLAUDE_CODE_MAX_RETRIES',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'API_TIMEOUT_MS',
  'MAX_THINKING_TOKENS',
  'DISABLE_AUTOUPDATER',
  'DISABLE_TELEMETRY',
  'DISABLE_ERROR_REPORTING',
]

/** Its own ten retries, with doubling waits, even of a key that is refused, would hold a run for minutes. */
const RETRIES = '3'

export const claudeDefaults = (
  inherited: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> => ({
  // Tools of MCP servers are offered at once, not behind a search.
  ENABLE_TOOL_SEARCH: 'false',
  DISABLE_AUTOUPDATER: '1',
  ...(inherited['CLAUDE_CODE_MAX_RETRIES'] === undefined && { CLAUDE_CODE_MAX_RETRIES: RETRIES }),
})
