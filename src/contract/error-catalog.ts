/** The closed catalogue of error codes; `docs/errors.md` is generated from it. */
import type { ErrorCode } from './errors.ts'
import type { EndingCategory } from './result.ts'

export interface ErrorRule {
  readonly meaning: string
  readonly action: string
  readonly data: string
  readonly retryable: boolean
  /** JSON-RPC code on the ACP face; the typed error is in its `data`. */
  readonly jsonRpc: number
  /** Exit code of the CLI (B10.3). */
  readonly exit: number
  /** Category of a run that ends with this error; absent where a start is only ever rejected. */
  readonly category?: EndingCategory
}

const rule = (
  exit: number,
  jsonRpc: number,
  data: string,
  meaning: string,
  action: string,
  more: { readonly retryable?: true; readonly category?: EndingCategory } = {},
): ErrorRule => ({ meaning, action, data, retryable: false, jsonRpc, exit, ...more })

const PROCESS = 'command, cwd, exitCode?, signal?, errno?, stderr?, withheld?'
const PARAMS = -32602
const INTERNAL = -32603
const NOT_FOUND = -32002

export const ERROR_CATALOG: { readonly [C in ErrorCode]: ErrorRule } = {
  INVALID_REQUEST: rule(
    2,
    PARAMS,
    'field?, suggestion?',
    'The request has an unknown key or a value outside its domain.',
    'Correct the field that the message names.',
  ),
  INVALID_CONFIG: rule(
    2,
    PARAMS,
    'file?, key?, suggestion?',
    'A configuration file has an unknown key or a bad value.',
    'Correct the key in the file that the message names.',
  ),
  PROVIDER_NOT_FOUND: rule(
    2,
    PARAMS,
    'provider, known',
    'No provider has this name here.',
    'Pick one of `known`, install the agent, or configure it.',
  ),
  DUPLICATE_PROVIDER: rule(
    2,
    PARAMS,
    'provider',
    'A provider of this name is already registered; the first stays.',
    'Register it under another name.',
  ),
  PRESET_NOT_FOUND: rule(
    2,
    PARAMS,
    'preset, known',
    'No preset has this name here.',
    'Pick one of `known`, or create it.',
  ),
  SESSION_NOT_FOUND: rule(
    4,
    NOT_FOUND,
    'sessionId',
    'No session has this id.',
    'List the sessions and pick one.',
  ),
  SESSION_BUSY: rule(
    4,
    -32600,
    'sessionId',
    'A run is still open on this session.',
    'Wait for the run to settle, or cancel it.',
    { retryable: true },
  ),
  NOT_RESUMABLE: rule(
    4,
    NOT_FOUND,
    'sessionId, reason',
    "The session exists but can't be taken up again.",
    'Start a new session.',
  ),
  UNAUTHORIZED: rule(
    4,
    -32600,
    'sessionId',
    "The caller is neither the session's recorded parent, nor an ancestor, nor the user.",
    'Act from the session that started it.',
  ),
  UNSUPPORTED_CAPABILITY: rule(
    6,
    PARAMS,
    'provider, missing, fields, alternatives',
    "The provider can't honour a control that was asked for; nothing was published.",
    'Leave out `fields`, or use one of `alternatives`.',
  ),
  DEPTH_EXCEEDED: rule(
    7,
    INTERNAL,
    'attempted, max',
    'The child would stand deeper than its tree allows; nothing was published.',
    'Do the work directly, or let the root be started with a greater `maxDepth`.',
  ),
  CAPACITY_EXCEEDED: rule(
    7,
    INTERNAL,
    'active, queued, max',
    'All slots are taken and the queue is full.',
    'Try again when a run has settled, or raise `concurrency`.',
    { retryable: true },
  ),
  LINEAGE_INVALID: rule(
    7,
    INTERNAL,
    'reason',
    'The lineage token was tampered with, comes from elsewhere, or its run has ended.',
    'Start from a run that is open, or unset SUBGATE_LINEAGE in a shell of your own.',
  ),
  AGENT_NOT_FOUND: rule(
    1,
    INTERNAL,
    PROCESS,
    "The agent's program doesn't exist.",
    'Install it, or correct the command.',
    { category: 'process' },
  ),
  AGENT_NOT_EXECUTABLE: rule(
    1,
    INTERNAL,
    PROCESS,
    "The agent's program exists but can't be executed.",
    'Give it the execute permission, or name its interpreter.',
    { category: 'process' },
  ),
  AGENT_EXITED: rule(
    1,
    INTERNAL,
    `${PROCESS}, reason?`,
    "The agent's process ended before it answered.",
    'Read `stderr`; run the command by itself.',
    { category: 'process' },
  ),
  AGENT_NOT_ACP: rule(
    1,
    INTERNAL,
    `${PROCESS}, firstLine?`,
    'The program writes, but no ACP.',
    'Add the flag that starts its ACP mode.',
    { category: 'protocol' },
  ),
  PROTOCOL_MISMATCH: rule(
    1,
    INTERNAL,
    `${PROCESS}, asked, answered`,
    'The agent speaks another version of the protocol.',
    'Update the agent.',
    { category: 'protocol' },
  ),
  PROTOCOL_ERROR: rule(
    1,
    INTERNAL,
    'method?',
    'The agent broke the protocol.',
    'Update the agent; report it with `--verbose`.',
    { category: 'protocol' },
  ),
  MESSAGE_TOO_LARGE: rule(
    1,
    INTERNAL,
    'bytes, limit',
    'One message was over the size limit; it alone is lost.',
    'Ask for less at once.',
    { category: 'protocol' },
  ),
  AGENT_ERROR: rule(
    1,
    INTERNAL,
    'agentCode?, agentData?, withheld?',
    'The agent reported an error.',
    'Read the message; run the agent by itself.',
    { category: 'provider' },
  ),
  PROVIDER_FAULT: rule(
    1,
    INTERNAL,
    'provider',
    "The provider's own code threw.",
    "Report it to the provider's author.",
    { category: 'provider' },
  ),
  MODEL_ERROR: rule(
    1,
    INTERNAL,
    'agentCode?, withheld?',
    "The agent's model service failed.",
    "Check the service and the agent's settings.",
    { category: 'model', retryable: true },
  ),
  AGENT_BUSY: rule(
    12,
    INTERNAL,
    'retryAfterMs?',
    'The agent or its model is rate limited or overloaded.',
    'Try again after `retryAfterMs`.',
    { category: 'busy', retryable: true },
  ),
  AUTH_REQUIRED: rule(
    11,
    -32000,
    'methods, withheld',
    'The agent wants a sign-in.',
    "Sign in as the message says, or pass the agent's key with `--env NAME`.",
    { category: 'auth' },
  ),
  STARTUP_TIMEOUT: rule(
    3,
    INTERNAL,
    `${PROCESS}, limitMs`,
    "The agent wasn't ready within the start-up limit; it was ended.",
    'Raise `limits.startupMs`, or see why it hangs.',
    { category: 'startup', retryable: true },
  ),
  IDLE_TIMEOUT: rule(
    3,
    INTERNAL,
    'limitMs',
    'The run gave no sign of life for its idle limit.',
    'Raise `--idle-timeout`, or see why it hangs.',
    { category: 'idle', retryable: true },
  ),
  TOTAL_TIMEOUT: rule(
    3,
    INTERNAL,
    'limitMs',
    'The run reached its total limit.',
    'Raise `--timeout`, or ask for less.',
    { category: 'total' },
  ),
  SCHEMA_MISMATCH: rule(
    8,
    INTERNAL,
    'path?, detail',
    "The answer doesn't fit the schema that was asked for.",
    'Loosen the schema, or say in the prompt what is wanted.',
    { category: 'schema' },
  ),
  CANCELLED: rule(
    10,
    -32800,
    'by',
    'The start was cancelled before anything was published.',
    'Nothing to do.',
    { category: 'request' },
  ),
  OWNER_LOST: rule(
    1,
    INTERNAL,
    'pid?',
    'The process that owned the run died.',
    'Look at the partial output; start again.',
    { category: 'owner_lost', retryable: true },
  ),
  STORE_READONLY: rule(
    1,
    INTERNAL,
    'file',
    "The sessions' database can't be written from here, as inside an agent's sandbox; nothing was published.",
    'Start from a process that may write `file`, or set XDG_STATE_HOME to a folder that can be written.',
    { category: 'process' },
  ),
  STORE_FAILED: rule(
    1,
    INTERNAL,
    'file, errno?',
    "The sessions' database failed: full disk, damaged file, or a folder that it can't be kept in.",
    'Do what the message says; nothing that stands in `file` was overwritten.',
    { category: 'process', retryable: true },
  ),
  CLOSED: rule(1, INTERNAL, '', 'The runtime is closed.', 'Create another one.'),
}
