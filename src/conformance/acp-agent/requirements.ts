/** What an ACP agent owes, as data: the checker, its reports and docs/conformance.md read this one table. */
import type { GateName } from './gates.ts'

/** `MANDATORY`: owed by every agent. `CAPABILITY`: owed by one that advertises what the gate names. */
export type Level = 'MANDATORY' | 'CAPABILITY' | 'ADVISORY' | 'INFORMATIONAL'

export interface AcpRequirement {
  /** Ids that begin with `ACP-` are those of the protocol's own compatibility kit; `SUBGATE-` ids are ours. */
  readonly id: string
  readonly level: Level
  readonly title: string
  /** Without it the requirement isn't owed. */
  readonly gate?: GateName
}

type Row = readonly [id: string, title: string, gate?: GateName]

const at = (level: Level, rows: readonly Row[]): readonly AcpRequirement[] =>
  rows.map(([id, title, gate]) => ({ id, level, title, ...(gate !== undefined && { gate }) }))

const KIT: readonly AcpRequirement[] = [
  ...at('MANDATORY', [
    ['ACP-TRANSPORT-001', 'every line on stdout, also after stdin was closed, is one JSON-RPC 2.0 object'],
    ['ACP-TRANSPORT-002', 'stdout is UTF-8'],
    ['ACP-JSONRPC-001', 'the id of a response is that of its request, a number or a string'],
    ['ACP-JSONRPC-002', 'a response has either a result or an error with a whole code and a message'],
    ['ACP-JSONRPC-003', 'a notification, such as a cancel while idle, gets no response'],
    ['ACP-INIT-001', 'initialize succeeds, with a valid result and a whole protocolVersion'],
    ['ACP-INIT-002', 'who asks for version 1 is answered 1'],
    ['ACP-INIT-003', 'who asks for version 65535 is answered a version of the agent, no lower than before'],
    ['ACP-SCHEMA-001', 'every message from initialize to the end of a turn is valid by the official schema'],
    ['ACP-SESSION-001', 'session/new gives a session id'],
    ['ACP-SESSION-002', 'two sessions have two ids'],
    ['ACP-PROMPT-001', 'a prompt of text ends with a stop reason of the protocol'],
    ['ACP-PROMPT-002', 'every update of a turn is valid and carries the id of its session'],
    ['ACP-CANCEL-001', 'a cancelled turn ends with the stop reason cancelled, and not with an error'],
    ['ACP-CANCEL-002', 'after a cancelled turn has ended no update of it follows'],
    ['ACP-CONFIG-003', 'no boolean option is offered to a client that takes none'],
    ['ACP-AUTH-002', 'no terminal method is offered to a client that has no terminal sign-in'],
    ['ACP-CLIENTCAP-001', 'fs/* is not called on a client that offers no files'],
    ['ACP-CLIENTCAP-002', 'terminal/* is not called on a client that offers no terminals'],
    ['ACP-CLIENTCAP-003', 'elicitation/create is not called on a client that offers no forms'],
    ['ACP-EXT-001', 'a request whose method begins with _ gets a response'],
  ]),
  ...at('CAPABILITY', [
    ['ACP-LOAD-001', 'session/load takes up an earlier session', 'load'],
    ['ACP-LOAD-002', 'session/load replays before its response, and nothing after it', 'load'],
    ['ACP-RESUME-001', 'session/resume takes up an earlier session', 'resume'],
    ['ACP-RESUME-002', 'session/resume replays nothing', 'resume'],
    ['ACP-LIST-001', 'session/list gives the sessions', 'list'],
    ['ACP-LIST-002', 'session/list of a directory without sessions gives an empty list', 'list'],
    ['ACP-DELETE-001', 'session/delete of an own session answers an object', 'delete'],
    ['ACP-CLOSE-001', 'session/close of an idle session answers an object', 'close'],
    ['ACP-CLOSE-002', 'session/close in mid-turn ends the turn with the stop reason cancelled', 'close'],
    ['ACP-ADDDIRS-001', 'session/new takes a further absolute directory', 'additionalDirectories'],
    ['ACP-MODES-001', 'the current mode is one of the modes', 'modes'],
    ['ACP-MODES-002', 'session/set_mode takes another mode, and updates name it by currentModeId', 'modes'],
    ['ACP-CONFIG-001', 'the current value of each option is one of its values', 'configOptions'],
    ['ACP-CONFIG-002', 'session/set_config_option answers every option, with the new value', 'configOptions'],
    ['ACP-PROMPTCAP-001', 'a prompt with an image ends with a stop reason', 'image'],
    ['ACP-PROMPTCAP-002', 'a prompt with audio ends with a stop reason', 'audio'],
    ['ACP-PROMPTCAP-003', 'a prompt with an embedded resource ends with a stop reason', 'embeddedContext'],
    ['ACP-AUTH-003', 'authenticate answers an object, and session/new works after it', 'authMethod'],
    ['ACP-AUTH-004', 'logout answers an object', 'logout'],
  ]),
  ...at('ADVISORY', [
    ['ACP-JSONRPC-004', 'an unknown method is -32601'],
    ['ACP-JSONRPC-005', 'after an error session/new still works'],
    ['ACP-INIT-004', 'agentInfo has a name and a version'],
    ['ACP-PROMPT-003', 'a link to a resource is taken beside the text'],
    ['ACP-LOAD-003', 'an empty result of session/load is {} and not null', 'load'],
    ['ACP-DELETE-002', 'session/delete of an unknown session, and once more, succeeds', 'delete'],
    ['ACP-AUTH-001', 'the methods to sign in have distinct ids'],
    ['ACP-AUTH-005', 'without a method to sign in, session/new needs none'],
    ['ACP-META-001', 'a prompt with a trace in its _meta works'],
    ['ACP-ERROR-001', 'messages of errors are one line and not empty'],
    ['ACP-SHUTDOWN-001', 'it exits by itself within two seconds after stdin was closed'],
    ['ACP-SCHEMA-002', 'params and results have no root keys that the schema does not know'],
  ]),
  ...at('INFORMATIONAL', [
    ['ACP-STDERR-001', 'how much it writes to stderr in a turn'],
    ['ACP-INFO-PARSE-001', 'what it answers to a line that is no JSON'],
    ['ACP-INFO-INVALIDREQ-001', 'what it answers to an object that is no message'],
    ['ACP-INFO-UNKNOWNSESSION-001', 'what it answers to a prompt on a session that is not there'],
  ]),
]

const OWN: readonly AcpRequirement[] = [
  ...at('MANDATORY', [
    ['SUBGATE-SCHEMA-001', 'every message of all checks is valid by the official schema'],
    ['SUBGATE-SECRET-001', 'a credential of its environment stands in nothing that it writes'],
  ]),
  ...at('CAPABILITY', [
    ['SUBGATE-LOAD-001', 'the replay of session/load holds the prompt and the answer', 'load'],
    [
      'SUBGATE-SUBAGENT-001',
      'a child is announced on a known session before any traffic names it',
      'delegation',
    ],
    ['SUBGATE-SUBAGENT-002', 'a client without subagents sees no child', 'delegation'],
    ['SUBGATE-SUBAGENT-003', 'each child is reported running, and idle in the end', 'delegation'],
    ['SUBGATE-SUBAGENT-004', 'a cancel of one child ends that child alone', 'delegation'],
    ['SUBGATE-SUBAGENT-005', 'session/load announces a child anew before its traffic', 'loadedDelegation'],
    ['SUBGATE-GATEWAY-001', 'the agent behind is offered no more than the client offered', 'behind'],
    [
      'SUBGATE-GATEWAY-002',
      'two sessions at once: each one hears its own agent, in both directions',
      'behind',
    ],
    [
      'SUBGATE-GATEWAY-003',
      'the _meta of an update reaches the client, and that of a prompt the agent',
      'behind',
    ],
    ['SUBGATE-GATEWAY-004', 'updates come complete and in order, before the response', 'behind'],
  ]),
  ...at('ADVISORY', [
    ['SUBGATE-LOAD-002', 'another process can load the session', 'load'],
    [
      'SUBGATE-SUBAGENT-006',
      'session/load announces every child that was announced before',
      'loadedDelegation',
    ],
  ]),
]

export const ACP_REQUIREMENTS: readonly AcpRequirement[] = [...KIT, ...OWN]
