/**
 * A fake agent for tests: a child process that plays a list of steps, with sensible ACP behaviour for the rest.
 *
 *     const agent = fakeAgentCommand([...acpHandshake(), ...acpTurn(['Hello ', 'world'])])
 *
 * Not scripted, it still serves: `initialize`, `authenticate`, `session/new` (`s1`, `s2`, …), `session/load`,
 * `session/resume`, `session/close`, `session/prompt` (says `ok`); any other request gets -32601, and no
 * notification gets an answer. `session/cancel` answers the session's open prompts `cancelled` and
 * `$/cancel_request` answers that request -32800: what was left of that turn, up to the next `expect`, is
 * skipped. The end of stdin ends the fake with code 0. A message is given to a waiting `expect`, else to an `on`,
 * else kept for an `expect` that is still to come, else served as above.
 *
 * What typical faults look like (cases.md):
 * - noise before the handshake (C01): `{ write: 'Starting 1.0\n' }`; 500 lines and no frame: `repeat` and `hang`;
 * - large lines (C03): `{ inPieces: 65536, steps: [{ say: { fill: 'a', times: 10485760 } }] }`;
 * - start-up failures (C05): `stderr` and `exit`; `expect` and `hang`; `acpHandshake({ protocolVersion: 99 })`;
 * - death in mid-prompt (C06): `say`, then `exit`, `kill`, or `close: 'stdout'` and `hang`;
 * - cancel ignored, failed or overruled (C07): `ignore: ['cancel']`, or
 *   `{ on: 'session/cancel', do: [{ fail: …, to: 'session/prompt' }] }`;
 * - permissions (C08): `{ permission: {}, id: 'p1', chosen: { y: […], n: […], cancelled: […] } }`;
 * - chunks behind the response (C09): `{ inOneWrite: [{ reply: { stopReason: 'end_turn' } }, { say: '1' }] }`;
 * - process trees (C12, C14): `grandchild`, `ignore: ['SIGTERM', 'eof']`, pids in the `log`;
 * - stderr floods (C16): `{ stderr: { fill: 'x', times: 1048576 } }`;
 * - floods (C17): `{ repeat: 100000, steps: [{ say: '{i}' }] }`; the fake goes on reading while nobody reads it;
 * - unknown things (C19): `update`, `notify`, `request` with any content;
 * - one-shot command lines (C20): `expectLine`, `expectEnd`, `write`, `exit`;
 * - limits (C31): `repeat: 'forever'` with `sleep`, `hang`, a tool call update and `sleep`;
 * - environment and directory (C32, C37): `dump`.
 */
import { fileURLToPath } from 'node:url'
import type { FakeStep } from './fake-step.ts'

export type { FakeFact, FakeFailure, FakeId, FakeLogEntry, FakeStep, FakeText } from './fake-step.ts'

/** One argument may have 128 KiB on Linux. */
const ARGUMENT_CHARACTERS = 100_000

/** The script travels in the arguments, so nothing is left to be removed; use `fill` for large texts. */
export const fakeAgentCommand = (
  script: readonly FakeStep[],
): { readonly command: string; readonly args: readonly string[] } => {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const program = fileURLToPath(new URL(`./fake-agent-process.${extension}`, import.meta.url))
  return { command: process.execPath, args: [program, ...pieces(asciiJson(script))] }
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const pieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / ARGUMENT_CHARACTERS) }, (_, index) =>
    text.slice(index * ARGUMENT_CHARACTERS, (index + 1) * ARGUMENT_CHARACTERS),
  )

export interface AcpHandshake {
  /** 1 when absent. */
  readonly protocolVersion?: number
  readonly agentCapabilities?: unknown
  readonly authMethods?: readonly unknown[]
  readonly agentInfo?: unknown
  /** `s1` when absent. */
  readonly sessionId?: string
}

/** `initialize` and `session/new`, both answered. */
export const acpHandshake = (options: AcpHandshake = {}): readonly FakeStep[] => {
  const {
    protocolVersion = 1,
    agentCapabilities = {},
    authMethods = [],
    agentInfo,
    sessionId = 's1',
  } = options
  const info = agentInfo === undefined ? {} : { agentInfo }
  return [
    { expect: 'initialize' },
    { reply: { protocolVersion, agentCapabilities, authMethods, ...info } },
    { expect: 'session/new' },
    { reply: { sessionId } },
  ]
}

/** One prompt: strings are said, steps are played, then the turn ends with this response. */
export const acpTurn = (
  steps: readonly (string | FakeStep)[],
  response: { readonly stopReason?: string; readonly _meta?: unknown; readonly usage?: unknown } = {},
): readonly FakeStep[] => [
  { expect: 'session/prompt' },
  ...steps.map((step) => (typeof step === 'string' ? { say: step } : step)),
  { reply: { stopReason: 'end_turn', ...response } },
]
