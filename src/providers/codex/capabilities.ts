/** What Codex can be asked for; docs/providers/codex.md gives the reason for each row. */
import type { SubagentCapabilities } from '../../contract/capabilities.ts'

export const CODEX_ROWS: SubagentCapabilities = {
  depthLimit: 'native',
  persona: 'native',
  toolFilter: 'none',
  sandbox: 'native',
  permissions: 'native',
  outputSchema: 'native',
  images: 'native',
  audio: 'none',
  resources: 'emulated',
  additionalDirectories: 'native',
  model: 'native',
  effort: 'native',
  mcpServers: 'native',
  resume: 'native',
  fork: 'native',
  steer: 'native',
  maxTurns: 'none',
  maxTokens: 'none',
  maxCostUsd: 'none',
}
