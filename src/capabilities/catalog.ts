/** The catalogue: one row a capability. Gate, matrix, CLI and conformance all read these rows. */
import type { CapabilityId, Support } from '../contract/capabilities.ts'
import type { ContentBlock } from '../contract/content.ts'
import type { SubagentDescriptor } from '../contract/events.ts'
import type { PermissionPolicy, Preset, SandboxMode, SubagentStartRequest } from '../contract/request.ts'

/** All that a start asks for, wherever it comes from. */
export interface GateInput {
  readonly request: Omit<SubagentStartRequest, 'provider'>
  readonly preset?: Preset
  /** Present on resume: its historical persona and tool filter ask again (B1.5). */
  readonly descriptor?: SubagentDescriptor
  /** The parent's explicit override, captured at the delegation (law 11). */
  readonly inheritedSandbox?: SandboxMode
  /** The operator confines the agent outside of Subgate, so the inherited override asks for nothing here. */
  readonly sandboxManaged?: boolean
  /** The operator's explicit policy for this agent, where the request has none. */
  readonly configuredPermission?: PermissionPolicy
  /** The operator's number for the tool that delegates (B2.5). */
  readonly operatorMaxDepth?: number
}

/** One reason to need a capability: the field as the caller wrote it, and how much support it takes. */
export interface Ask {
  readonly field: string
  readonly least: Exclude<Support, 'none'>
}

export interface CapabilityRule {
  readonly title: string
  /** How a shell user asks for it; absent where only a preset or a program can. */
  readonly flag?: string
  readonly enforced: string
  asks(input: GateInput): readonly Ask[]
}

const when = (asked: boolean, field: string, least: Ask['least'] = 'emulated'): readonly Ask[] =>
  asked ? [{ field, least }] : []

/** `allow` needs nothing of the agent (B4.4). */
const narrows = (policy: PermissionPolicy | undefined): boolean => policy !== undefined && policy !== 'allow'

const has = (input: GateInput, field: keyof GateInput['request']): boolean =>
  input.request[field] !== undefined

const blocks = (input: GateInput, type: ContentBlock['type']): readonly Ask[] =>
  input.request.prompt.flatMap((block, index) => when(block.type === type, `prompt.${index}`))

const nonEmpty = (list: readonly unknown[] | undefined): boolean => (list?.length ?? 0) > 0

const limit = (input: GateInput, name: 'maxTurns' | 'maxTokens' | 'maxCostUsd'): readonly Ask[] =>
  when(input.request.limits?.[name] !== undefined, `limits.${name}`)

export const CATALOG: { readonly [Id in CapabilityId]: CapabilityRule } = {
  depthLimit: {
    title: 'Depth limit',
    flag: '--max-depth',
    enforced: "The agent itself can't delegate deeper than the number.",
    asks: (input) => when(has(input, 'maxDepth') || input.operatorMaxDepth !== undefined, 'maxDepth'),
  },
  persona: {
    title: 'Instructions of a preset',
    enforced: 'They stand in the agent\'s system prompt; "emulated" can append but not replace.',
    asks: ({ preset, descriptor }) => [
      ...(preset?.instructions === undefined
        ? []
        : when(true, 'preset.instructions', preset.instructions.mode === 'replace' ? 'native' : 'emulated')),
      ...when(descriptor?.persona !== undefined, 'descriptor.persona', 'native'),
    ],
  },
  toolFilter: {
    title: 'Tool list of a preset',
    enforced: 'A filtered tool is invisible to the agent and refuses to run.',
    asks: ({ preset, descriptor }) => [
      ...when(preset?.tools !== undefined, 'preset.tools'),
      ...when(descriptor?.toolFilter !== undefined, 'descriptor.toolFilter'),
    ],
  },
  sandbox: {
    title: 'Sandbox',
    flag: '--sandbox',
    enforced: "The agent's tools can't leave the sandbox.",
    asks: (input) => [
      ...when(has(input, 'sandbox'), 'sandbox'),
      ...when(input.preset?.sandbox !== undefined, 'preset.permissionMode'),
      ...when(
        input.inheritedSandbox !== undefined &&
          input.inheritedSandbox !== 'danger-full-access' &&
          input.sandboxManaged !== true,
        'parent.sandbox',
      ),
    ],
  },
  permissions: {
    title: 'Permission policy',
    flag: '--permission',
    enforced: 'The agent asks before it acts, and the policy answers.',
    asks: ({ request, configuredPermission }) => [
      ...when(narrows(request.permission), 'permission'),
      ...when(narrows(configuredPermission), 'providers.*.permission'),
    ],
  },
  outputSchema: {
    title: 'Structured output',
    flag: '--json-schema',
    enforced: 'The answer fits the JSON schema, or the run fails.',
    asks: (input) => when(has(input, 'outputSchema'), 'outputSchema'),
  },
  images: {
    title: 'Images in the prompt',
    flag: '--image',
    enforced: 'The model sees them.',
    asks: (input) => blocks(input, 'image'),
  },
  audio: {
    title: 'Audio in the prompt',
    flag: '--attach',
    enforced: 'The model hears it.',
    asks: (input) => blocks(input, 'audio'),
  },
  resources: {
    title: 'Embedded resources in the prompt',
    flag: '--attach',
    enforced: 'The model sees their content.',
    asks: (input) => blocks(input, 'resource'),
  },
  additionalDirectories: {
    title: 'Further directories',
    flag: '--add-dir',
    enforced: "They are roots of the agent's session beside cwd.",
    asks: ({ request }) => when(nonEmpty(request.additionalDirectories), 'additionalDirectories'),
  },
  model: {
    title: 'Model',
    flag: '--model',
    enforced: 'The agent runs on the named model.',
    asks: (input) => [
      ...when(has(input, 'model'), 'model'),
      ...when(input.preset?.model !== undefined, 'preset.model'),
    ],
  },
  effort: {
    title: 'Reasoning effort',
    flag: '--effort',
    enforced: "The agent's model runs with the named effort.",
    asks: (input) => when(has(input, 'effort'), 'effort'),
  },
  mcpServers: {
    title: 'MCP servers',
    flag: '--mcp-config',
    enforced: 'The agent connects to each of them; "emulated" not over HTTP.',
    asks: ({ request: { mcpServers = [] } }) => [
      ...when(nonEmpty(mcpServers), 'mcpServers'),
      ...mcpServers.flatMap((server, index) =>
        when('type' in server && server.type === 'http', `mcpServers.${index}`, 'native'),
      ),
    ],
  },
  resume: {
    title: 'Follow-ups and resume',
    flag: '--resume',
    enforced:
      'A later run goes on with the same conversation; "emulated" only while the agent\'s process lives.',
    asks: ({ request }) => [
      ...when(request.session?.from === 'resume', 'session'),
      ...when(request.keep === true, 'keep'),
    ],
  },
  fork: {
    title: 'Fork of a session',
    flag: '--fork',
    enforced: 'A new session starts with a copy of the conversation.',
    asks: ({ request }) => when(request.session?.from === 'fork', 'session'),
  },
  steer: {
    title: 'Steering a running turn',
    enforced: 'Text reaches the agent in mid-turn.',
    asks: () => [],
  },
  maxTurns: {
    title: 'Turn limit',
    flag: '--max-turns',
    enforced: 'The run ends after so many model calls.',
    asks: (input) => limit(input, 'maxTurns'),
  },
  maxTokens: {
    title: 'Token limit',
    flag: '--max-tokens',
    enforced: 'The run ends after so many tokens.',
    asks: (input) => limit(input, 'maxTokens'),
  },
  maxCostUsd: {
    title: 'Cost limit',
    flag: '--max-cost',
    enforced: 'The run ends before it costs more.',
    asks: (input) => limit(input, 'maxCostUsd'),
  },
}

export const CAPABILITY_IDS: readonly CapabilityId[] = Object.keys(CATALOG) as CapabilityId[]

const RANK: { readonly [S in Support]: number } = { none: 0, emulated: 1, native: 2 }

export const atLeast = (support: Support, least: Support): boolean => RANK[support] >= RANK[least]
export const lesser = (a: Support, b: Support): Support => (RANK[a] <= RANK[b] ? a : b)
