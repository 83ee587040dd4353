/** What the checker of ACP agents finds on real agents: docs/conformance.md shows it, and the tests hold it true. */

export interface Finding {
  /** The provider's name. */
  readonly agent: string
  readonly title: string
  /** Of `subgate acp` before it; else of the agent itself. */
  readonly face: boolean
  /** Of the agent itself, as its handshake tells it. */
  readonly version?: string
  readonly passed: number
  /** Owed, and failed or could not be brought about. */
  readonly wrong: readonly string[]
  /** Met or not by when it is asked; not counted above. */
  readonly varies?: readonly string[]
}

/** All but what is only recorded, and the one that measures time, which a loaded machine would decide. */
export const MEASURED = (id: string): boolean =>
  !id.startsWith('ACP-INFO-') && id !== 'ACP-STDERR-001' && id !== 'ACP-SHUTDOWN-001'

/** Of an agent that tells its models in a field of its own. */
const MODELS = ['ACP-SCHEMA-002']

const faces: readonly Finding[] = [
  { agent: 'codex', title: 'Codex', face: true, passed: 50, wrong: [] },
  { agent: 'claude-code', title: 'Claude Code', face: true, passed: 50, wrong: [] },
  { agent: 'codex-acp', title: 'codex-acp', face: true, passed: 52, wrong: [] },
  { agent: 'claude-acp', title: 'claude-agent-acp', face: true, passed: 52, wrong: [] },
  { agent: 'gemini', title: 'Gemini CLI', face: true, passed: 52, wrong: [] },
  { agent: 'opencode', title: 'OpenCode', face: true, passed: 49, wrong: [] },
  { agent: 'acp', title: "the SDK's example agent", face: true, passed: 45, wrong: [] },
]

const agents: readonly Finding[] = [
  { agent: 'codex-acp', title: 'codex-acp', face: false, version: '2.6.0', passed: 51, wrong: MODELS },
  { agent: 'claude-acp', title: 'claude-agent-acp', face: false, version: '0.101.0', passed: 52, wrong: [] },
  {
    agent: 'gemini',
    title: 'Gemini CLI',
    face: false,
    version: '0.61.0',
    passed: 36,
    wrong: MODELS,
    // It finds a session again from the next minute on.
    varies: ['ACP-LOAD-001', 'ACP-LOAD-002', 'SUBGATE-LOAD-001', 'ACP-LOAD-003', 'SUBGATE-LOAD-002'],
  },
  { agent: 'opencode', title: 'OpenCode', face: false, version: '1.18.33', passed: 47, wrong: [] },
  {
    agent: 'acp',
    title: "The SDK's example agent",
    face: false,
    passed: 31,
    // It has no name.
    wrong: ['ACP-INIT-004'],
  },
]

export const ACP_FINDINGS: readonly Finding[] = [...faces, ...agents]
