/** Every configuration key as data: what it takes, its default, and who may set it how. */
import type { JsonValue } from '../contract/json.ts'
import type { Width } from './width.ts'

export interface ConfigKey {
  /** Dotted; `*` stands for any name. */
  readonly key: string
  readonly takes: string
  readonly says: string
  readonly initial?: JsonValue
  /** What a project's file may do with it until the user has trusted it. */
  readonly project: 'choose' | 'narrow' | 'trust'
  /** Why it needs trust. */
  readonly because?: string
  /** How its values are ordered; such a key of a lower layer is never wider than the system layer's. */
  readonly width?: Width
  /** What counts where this key is absent: another key, else this value. */
  readonly under?: string
  readonly absent?: JsonValue
  /** Frees an agent from that key: once the system layer has set that, it alone may say this. */
  readonly frees?: string
  /** The sibling that this one stands instead of. */
  readonly rival?: string
}

type Rest = Omit<ConfigKey, 'key' | 'takes' | 'says' | 'project'>

const entry =
  (project: ConfigKey['project']) =>
  (key: string, takes: string, says: string, rest: Rest = {}): ConfigKey => ({
    key,
    takes,
    says,
    project,
    ...rest,
  })
const choose = entry('choose')
const narrow = entry('narrow')
const trust = entry('trust')

const NAME = 'a name'
const MS = 'milliseconds, 0 = none'
const GRACE = 'milliseconds'
const DOLLARS = 'US dollars a million tokens'
const FLAG = 'true or false'
const PERMISSION = 'deny, ask, allow-reads or allow'
const SANDBOX = 'read-only, workspace-write or danger-full-access'
const price = { because: 'it changes what a run is said to cost' } as const
const off = { width: 'flag', absent: false } as const
const grace = { width: 'count', because: 'it changes how long a process may outlive its end' } as const

export const CONFIG_KEYS: readonly ConfigKey[] = [
  choose('defaultProvider', NAME, 'Provider of a task that names none.'),
  choose('model', NAME, 'Model for tasks that name none.'),
  narrow('sandbox', SANDBOX, 'Sandbox for tasks that name none.', {
    width: 'sandbox',
    absent: 'workspace-write',
  }),
  narrow('permission', PERMISSION, 'Permission policy for tasks that name none.', {
    width: 'permission',
    absent: 'ask',
  }),
  narrow('permissionTimeoutMs', MS, 'How long a permission request stays open before policy answers it.', {
    width: 'limit',
    initial: 0,
  }),
  narrow('limits.startupMs', MS, 'Until the agent must be ready.', { width: 'limit', initial: 60_000 }),
  narrow('limits.idleMs', MS, 'Longest silence of a run; a running tool or an open permission pauses it.', {
    width: 'limit',
    initial: 600_000,
  }),
  narrow('limits.totalMs', MS, 'Longest duration of a run.', { width: 'limit', initial: 0 }),
  narrow('concurrency.total', 'a positive integer', 'Runs at once.', { width: 'count', initial: 8 }),
  narrow('concurrency.queue', 'a non-negative integer', 'Starts that may wait for a slot.', {
    width: 'count',
    initial: 64,
  }),
  narrow('subagent.maxDepth', 'a non-negative integer', 'Deepest level of delegation.', {
    width: 'depth',
    initial: 1,
  }),
  trust(
    'retentionDays',
    'a non-negative integer, 0 = for ever',
    'Days that a stored session is kept unused.',
    {
      because: 'it removes stored sessions',
      initial: 90,
    },
  ),
  trust('mcpServers.*', 'a list of servers, in the shape of ACP', 'MCP servers that every task gets.', {
    because: 'it adds an MCP server',
  }),
  trust('prices.*.input', DOLLARS, 'Price of what the model `provider/model` reads.', price),
  trust('prices.*.output', DOLLARS, 'Price of what it writes.', price),
  trust(
    'prices.*.cachedInput',
    DOLLARS,
    'Price of what it reads from its cache; absent: as any input.',
    price,
  ),
  trust('providers.*.command', 'a list: program, arguments', 'The ACP agent to start.', {
    because: 'it starts a program',
    rival: 'module',
  }),
  trust('providers.*.module', 'a path or package name', 'The module that holds the provider.', {
    because: 'it loads a module',
    rival: 'command',
  }),
  trust('providers.*.env.*', 'a string, or true', "A variable's value; true passes it on.", {
    because: 'it names a variable of the environment',
  }),
  narrow('providers.*.permission', PERMISSION, "This agent's permission policy.", {
    width: 'permission',
    under: 'permission',
    absent: 'ask',
  }),
  trust('providers.*.asks', FLAG, 'States that this agent asks before it acts.', {
    because: 'it vouches for an agent',
    frees: 'permission',
  }),
  trust('providers.*.sandbox', 'provider-managed', 'States that this agent confines itself.', {
    because: 'it lifts the sandbox',
    frees: 'sandbox',
  }),
  narrow(
    'providers.*.fs.read',
    FLAG,
    "Reads files for the agent where the editor doesn't; false: nobody does.",
    off,
  ),
  narrow(
    'providers.*.fs.write',
    FLAG,
    "Writes files for the agent where the editor doesn't; false: nobody does.",
    off,
  ),
  narrow(
    'providers.*.terminal',
    FLAG,
    "Runs commands for the agent where the editor doesn't; false: nobody does.",
    off,
  ),
  narrow('providers.*.concurrency', 'a positive integer', 'Runs of this provider at once.', {
    width: 'count',
  }),
  narrow('providers.*.warm', FLAG, 'Keeps one process of this agent for the next runs.', off),
  trust('providers.*.graces.eofMs', GRACE, 'After its input was closed, until SIGTERM.', grace),
  trust('providers.*.graces.termMs', GRACE, 'After SIGTERM, until SIGKILL.', grace),
  trust('providers.*.graces.cancelMs', GRACE, 'After a cancel, until the process is ended.', grace),
  choose('tools.*.provider', NAME, 'Provider of this delegation tool.'),
  narrow('tools.*.maxDepth', 'a non-negative integer, or provider-managed', "This tool's depth cap.", {
    width: 'depth',
    under: 'subagent.maxDepth',
  }),
  choose('tools.*.includeRuntimeContext', FLAG, 'Whether the model is told when no depth is left.'),
]

const SEGMENTS: readonly (readonly string[])[] = CONFIG_KEYS.map((row) => row.key.split('.'))

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  path.every((segment, at) => pattern[at] === '*' || pattern[at] === segment)

/** The words that may stand right under this path; none where any name may. */
export const keysUnder = (path: readonly string[]): readonly string[] => [
  ...new Set(
    SEGMENTS.filter((pattern) => pattern.length > path.length && matches(pattern, path))
      .map((pattern) => pattern[path.length] ?? '*')
      .filter((word) => word !== '*'),
  ),
]

/** The row of a key as a file spells it. */
export const rowOf = (path: readonly string[]): ConfigKey | undefined =>
  CONFIG_KEYS.find((_, at) => SEGMENTS[at]?.length === path.length && matches(SEGMENTS[at], path))
