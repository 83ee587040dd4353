/** What is known of ACP agents, as data: launch lines, variables, graces, quirks, and how each is made to ask. */
import type { SessionUpdate } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { SignIn } from '../../contract/sign-in.ts'
import { maskArgs } from '../../contract/secrets.ts'
import type { ConfiguredMethods } from './offered-methods.ts'

/** How an agent is brought to ask before it acts. An empty object: it does so by itself. */
export interface AskMode {
  /** Variables of its process. */
  readonly env?: Readonly<Record<string, string>>
  /** The session mode to set; the claim falls when the agent doesn't offer it. */
  readonly modeId?: string
}

/** Looks at an update for a sign of a hidden failure: true = failing, false = well again, undefined = no sign. */
export type FailureSign = (update: SessionUpdate) => boolean | undefined

/** Where all is allowed nobody needs to be asked, unless a follow-up of the kept session may think otherwise. */
export const isToAsk = ({ permission, keep }: Pick<ResolvedStartRequest, 'permission' | 'keep'>): boolean =>
  permission !== 'allow' || keep

export interface KnownAgent {
  readonly name: string
  readonly title: string
  readonly aliases?: readonly string[]
  readonly program: string
  readonly args: readonly string[]
  /** Set for every start. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of its own keys and configuration; a trailing `*` matches the rest. Never another agent's. */
  readonly variables?: readonly string[]
  readonly graces?: { readonly eofMs?: number; readonly termMs?: number }
  readonly asks?: AskMode
  readonly failureSign?: FailureSign
  /** What it is offered of a client's methods where its configuration says nothing. */
  readonly methods?: ConfiguredMethods
  /** `agentInfo.name` of its handshake, which knows it where the command line doesn't show it. */
  readonly agentInfo?: string
  /** The gateway drives it by its own interface; what stands here tells people where to find it. */
  readonly native?: true
  /** An npm package that brings the program. */
  readonly npm?: string
  /** How its own program signs a person in; that of a native one stands in its folder. */
  readonly signIn?: SignIn
  /** The native one whose sign-in it shares. */
  readonly account?: string
}

const CLAUDE_VARIABLES = [
  'ANTHROPIC_*',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_EXECUTABLE',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_*',
  'CLAUDE_CODE_MAX_RETRIES',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'CLAUDE_MODEL_CONFIG',
  'API_TIMEOUT_MS',
  'ENABLE_TOOL_SEARCH',
  'MAX_THINKING_TOKENS',
  'DISABLE_AUTOUPDATER',
  'DISABLE_TELEMETRY',
  'DISABLE_ERROR_REPORTING',
  'NO_BROWSER',
]

const CODEX_VARIABLES = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_HOME',
  'CODEX_PATH',
  'CODEX_CONFIG',
  'CODEX_API_KEY',
  'MODEL_PROVIDER',
  'INITIAL_AGENT_MODE',
  'NO_BROWSER',
]

/** codex-acp answers a failed turn with a plain `end_turn`; its thread status tells the difference. */
const codexFailure: FailureSign = (update) => {
  if (update.sessionUpdate !== 'session_info_update') return undefined
  const meta = '_meta' in update && isRecord(update['_meta']) ? update['_meta'] : {}
  const codex = isRecord(meta['codex']) ? meta['codex'] : {}
  const status = isRecord(codex['threadStatus']) ? codex['threadStatus']['type'] : undefined
  return status === undefined ? undefined : status === 'systemError'
}

const claudeAdapter = {
  program: 'claude-agent-acp',
  args: [],
  variables: CLAUDE_VARIABLES,
  asks: { modeId: 'default' },
  graces: { termMs: 2000 },
  agentInfo: '@agentclientprotocol/claude-agent-acp',
  npm: '@agentclientprotocol/claude-agent-acp',
  signIn: { args: ['--cli', 'auth', 'login'] },
  account: 'claude-code',
} as const

const codexAdapter = {
  program: 'codex-acp',
  args: [],
  variables: CODEX_VARIABLES,
  asks: { env: { INITIAL_AGENT_MODE: 'read-only' }, modeId: 'read-only' },
  graces: { termMs: 2000 },
  failureSign: codexFailure,
  agentInfo: '@agentclientprotocol/codex-acp',
  npm: '@agentclientprotocol/codex-acp',
  // It shares the sign-in of Codex, and has no words for it.
  signIn: { program: 'codex', args: ['login'] },
  account: 'codex',
} as const

/** A launch line of the ACP registry without more knowledge. */
const plain = (name: string, title: string, line: string, more: Partial<KnownAgent> = {}): KnownAgent => {
  const [program = name, ...args] = line.split(' ')
  return { name, title, program, args, ...more }
}

const npm = (
  name: string,
  title: string,
  line: string,
  pack: string,
  more: Partial<KnownAgent> = {},
): KnownAgent => plain(name, title, line, { npm: pack, ...more })

/** Sorted as people are shown them: the best known first. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    aliases: ['claude'],
    program: 'claude',
    args: [],
    native: true,
    npm: '@anthropic-ai/claude-code',
  },
  { name: 'codex', title: 'Codex', program: 'codex', args: [], native: true, npm: '@openai/codex' },
  npm('gemini', 'Gemini CLI', 'gemini --acp', '@google/gemini-cli', {
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    variables: ['GEMINI_*', 'GOOGLE_*'],
    asks: { modeId: 'default' },
    // It takes a client's word that there is no such file for a fault, and could make no new file.
    methods: { read: false },
    graces: { termMs: 2000 },
    signIn: {
      args: [],
      note: 'Choose how to sign in (/auth shows the choice again), then leave with /quit.',
    },
  }),
  npm('opencode', 'OpenCode', 'opencode acp', 'opencode-ai', {
    variables: ['OPENCODE_*'],
    graces: { eofMs: 2000, termMs: 2000 },
    signIn: { args: ['auth', 'login'] },
  }),
  { name: 'claude-acp', title: 'Claude Code (ACP adapter)', ...claudeAdapter },
  { name: 'codex-acp', title: 'Codex (ACP adapter)', ...codexAdapter },
  npm('agoragentic-acp', 'Agoragentic', 'agoragentic-mcp --acp', 'agoragentic-mcp'),
  plain('amp-acp', 'Amp', 'amp-acp', { variables: ['AMP_*'] }),
  npm('auggie', 'Auggie', 'auggie --acp', '@augmentcode/auggie', {
    env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    variables: ['AUGMENT_*'],
    signIn: { args: ['login'] },
  }),
  npm('autohand', 'Autohand', 'autohand-acp', '@autohandai/autohand-acp'),
  npm('cline', 'Cline', 'cline --acp', 'cline', { variables: ['CLINE_*'] }),
  npm('codebuddy-code', 'CodeBuddy', 'codebuddy --acp', '@tencent-ai/codebuddy-code', {
    variables: ['CODEBUDDY_*'],
  }),
  plain('cortex-code', 'Cortex', 'cortex acp serve'),
  plain('corust-agent', 'Corust', 'corust-agent-acp'),
  plain('crow-cli', 'Crow', 'crow-cli acp'),
  plain('cursor', 'Cursor', 'cursor-agent acp', {
    variables: ['CURSOR_API_KEY'],
    signIn: { args: ['login'] },
  }),
  npm('deepagents', 'Deep Agents', 'deepagents-acp', 'deepagents-acp'),
  plain('devin', 'Devin', 'devin acp', { variables: ['DEVIN_*'] }),
  npm('dimcode', 'DimCode', 'dimcode acp', 'dimcode'),
  npm('dirac', 'Dirac', 'dirac --acp', 'dirac-cli'),
  npm('factory-droid', 'Factory Droid', 'droid exec --output-format acp-daemon', 'droid', {
    variables: ['FACTORY_*'],
  }),
  plain('fast-agent', 'fast-agent', 'fast-agent-acp -x'),
  npm('github-copilot-cli', 'GitHub Copilot', 'copilot --acp', '@github/copilot', {
    aliases: ['copilot'],
    variables: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    signIn: { args: ['login'] },
  }),
  npm('glm-acp-agent', 'GLM', 'glm-acp-agent', 'glm-acp-agent'),
  plain('goose', 'Goose', 'goose acp', { variables: ['GOOSE_*'], signIn: { args: ['configure'] } }),
  npm('grok-build', 'Grok', 'grok agent stdio', '@xai-official/grok', {
    variables: ['XAI_API_KEY', 'GROK_*'],
  }),
  plain('harn', 'Harn', 'harn serve acp'),
  plain('iflow', 'iFlow', 'iflow --experimental-acp', { variables: ['IFLOW_*'] }),
  plain('junie', 'Junie', 'junie --acp=true', { variables: ['JUNIE_*'] }),
  npm('kilo', 'Kilo Code', 'kilo acp', '@kilocode/cli', {
    variables: ['KILO_*'],
    signIn: { args: ['auth', 'login'] },
  }),
  plain('kimi', 'Kimi', 'kimi acp', {
    variables: ['KIMI_*', 'MOONSHOT_API_KEY'],
    signIn: { args: ['login'] },
  }),
  plain('kiro', 'Kiro', 'kiro-cli-chat acp', { signIn: { program: 'kiro-cli', args: ['login'] } }),
  plain('minion-code', 'Minion Code', 'minion-code acp'),
  plain('mistral-vibe', 'Mistral Vibe', 'vibe-acp', { variables: ['MISTRAL_*', 'VIBE_*'] }),
  npm('nova', 'Nova', 'nova acp', '@compass-ai/nova'),
  plain('openclaw', 'OpenClaw', 'openclaw acp', { variables: ['OPENCLAW_*'] }),
  npm('pi-acp', 'Pi', 'pi-acp', 'pi-acp'),
  plain('poolside', 'Poolside', 'pool acp', { variables: ['POOLSIDE_*'] }),
  npm('qoder', 'Qoder', 'qodercli --acp', '@qoder-ai/qodercli', { variables: ['QODER_*'] }),
  npm('qwen-code', 'Qwen Code', 'qwen --acp --experimental-skills', '@qwen-code/qwen-code', {
    aliases: ['qwen'],
    variables: ['QWEN_*', 'DASHSCOPE_API_KEY'],
    signIn: {
      args: [],
      note: 'Choose how to sign in (/auth shows the choice again), then leave with /quit.',
    },
  }),
  plain('sigit', 'Sigit', 'sigit'),
  plain('stakpak', 'Stakpak', 'stakpak acp', { variables: ['STAKPAK_*'] }),
  plain('vtcode', 'VT Code', 'vtcode acp', { variables: ['VTCODE_*'] }),
]

/** Names and aliases of the agents that need no configuration once they are installed. */
export const KNOWN_PROVIDER_NAMES: readonly string[] = KNOWN_AGENTS.flatMap(({ name, aliases = [] }) => [
  name,
  ...aliases,
])

export const aliasesOf = (name: string): readonly string[] =>
  KNOWN_AGENTS.find((agent) => agent.name === name)?.aliases ?? []

/** The gateway's own program: an agent that speaks `_meta.subgate`. */
export const GATEWAY_PROGRAM = 'subgate'

/** The knowledge that fits a command line by its program's name, also behind an interpreter such as node. */
export const knownByProgram = (words: readonly string[]): KnownAgent | undefined =>
  words
    .slice(0, 2)
    .map((word) => KNOWN_AGENTS.findLast(({ program }) => program === programName(word)))
    .find((agent) => agent !== undefined)

/** The failure sign of the agent that named itself in its handshake. */
export const failureSignOf = (agentName: string | undefined): FailureSign | undefined =>
  agentName === undefined
    ? undefined
    : KNOWN_AGENTS.find(({ agentInfo }) => agentInfo === agentName)?.failureSign

const INTERPRETERS: ReadonlySet<string> = new Set(
  'node bun deno tsx python python3 ruby npx bunx pnpx uvx'.split(' '),
)

/** What people are told of a command line: its program, behind an interpreter also what that runs, and no more of it. */
export const titleOf = ([program, next]: readonly [string, ...string[]]): string => {
  const name = programName(program)
  if (next === undefined || next.startsWith('-') || !INTERPRETERS.has(name)) return name
  const [word = ''] = maskArgs([next])
  return `${name} ${word.includes('node_modules/') ? programName(word) : word.split('/').at(-1)}`
}

/** `…/node_modules/@scope/codex-acp/dist/index.js` is the program of its package: codex-acp. */
export const programName = (word: string): string => {
  const inPackage = /node_modules\/(?:@[^/]+\/)?([^./][^/]*)\/(?!.*node_modules\/)/u.exec(word)
  const name = inPackage?.[1] ?? word.split('/').at(-1) ?? word
  return name.replace(/\.(?:c|m)?js$/u, '')
}
