/** The real Codex as a subject of the conformance suite: its model on loopback plays each situation. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  Cue,
  CueName,
  CueRequest,
  Evidence,
  Place,
  ProviderFixture,
} from '../../src/conformance/index.ts'
import { text } from '../../src/contract/content.ts'
import { silentLogger } from '../../src/contract/logger.ts'
import { Supervisor } from '../../src/process/supervisor.ts'
import { nativeProgram } from '../../src/providers/codex/program.ts'
import { CodexProvider } from '../../src/providers/codex/provider.ts'
import { codexNative, nativeConfig } from './agents.ts'
import { ModelServer } from './model-server.ts'
import type { ModelRequest, Step } from './model/script.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-5d1e'
const PANTRY = fileURLToPath(new URL('pantry-server.mjs', import.meta.url))
const never = new Promise<never>(() => {})

/** All of a request that a cue looks for. */
const tell = ({ entries, tools, model, effort, instructions, images }: ModelRequest): string =>
  JSON.stringify({ entries, tools, model, effort, instructions, images })
const TELL: Step = { do: 'tell', tell }

const shell = (cmd: string, more: object = {}): Step => ({
  do: 'call',
  tool: 'exec_command',
  input: { cmd, ...more },
})
/** Asks for more than its sandbox gives, so that it is asked for. */
const escalated = (cmd: string): Step =>
  shell(cmd, { sandbox_permissions: 'require_escalated', justification: 'It must be so.' })
const say = (words: string): Step => ({ do: 'say', text: words })

/** Calls one of the tools by which it has agents, offered or not. */
const collaborate = (tool: string, input: Extract<Step, { do: 'call' }>['input']): Step => ({
  do: 'call',
  tool,
  namespace: 'multi_agent_v1',
  input,
  unoffered: true,
})

/** The agent that the last call has started, by its answer. */
const startedAgent = ({ entries }: ModelRequest): string => {
  const last = entries.findLast((entry) => entry.kind === 'result')
  const [, id = 'none'] = /agent_id[^\w-]+([\w-]+)/u.exec(last?.text ?? '') ?? []
  return id
}

/** One that has no agents is told so by each call, and doesn't wait. */
const DELEGATES: readonly Step[] = [
  collaborate('spawn_agent', { message: 'Write the marker.' }),
  collaborate('wait_agent', (request) => ({ targets: [startedAgent(request)], timeout_ms: 60_000 })),
  say('Delegated.'),
]

const turns = (place: Place): { readonly [Name in CueName]?: readonly Step[] } => ({
  answer: [say('An answer.')],
  sequence: [say('one two three')],
  hang: [{ do: 'say', text: 'so far on', until: never }],
  silent: [say('')],
  blank: [say(' \n ')],
  toolsOnly: [shell('true'), say('')],
  truncation: [{ do: 'break', text: 'The first half', code: 'context_length_exceeded' }],
  fault: [{ do: 'break', text: 'so far', code: 'server_error' }],
  question: [escalated(`echo x > ${place.marker}`), say('Done.')],
  permissions: [escalated(`echo x > ${place.marker}`), say('Done.')],
  sandbox: [shell(`echo x > ${place.marker}`), say('Done.')],
  depthLimit: DELEGATES,
  outputSchema: [say('{"colour":"green"}')],
  additionalDirectories: [shell(`echo x > ${join(place.elsewhere, 'proof')}`), say('Done.')],
  steer: [shell('sleep 2', { yield_time_ms: 10_000 }), TELL],
})

const said =
  (...parts: readonly string[]) =>
  ({ result }: Evidence): boolean =>
    parts.every((part) => result.text.includes(part))

const isDone = (update: { sessionUpdate?: string; status?: string }): boolean =>
  update.sessionUpdate === 'tool_call_update' && update.status === 'completed'

const plain: Cue = { request: () => ({ prompt: [text('Go.')] }) }
const told = (more: Partial<CueRequest>, ...parts: readonly string[]): Cue => ({
  request: () => ({ prompt: [text('Go.')], ...more }),
  proves: said(...parts),
})

const recalls: Cue = {
  before: () => ({ prompt: [text('Keep marmalade in mind.')] }),
  request: () => ({ prompt: [text('Go.')] }),
  proves: said('marmalade'),
}

const CUES: { readonly [Name in CueName]?: Cue } = {
  answer: plain,
  sequence: { ...plain, says: ['one ', 'two ', 'three'] },
  hang: plain,
  silent: plain,
  blank: plain,
  toolsOnly: plain,
  refusal: plain,
  truncation: plain,
  fault: plain,
  question: plain,
  // A question would have to be able to say yes to what the sandbox stops.
  unfit: { request: () => ({ prompt: [text('Go.')], sandbox: 'workspace-write', permission: 'ask' }) },
  permissions: { request: () => ({ prompt: [text('Go.')], permission: 'deny' }) },
  sandbox: { request: () => ({ prompt: [text('Go.')], sandbox: 'read-only' }) },
  depthLimit: { request: () => ({ prompt: [text('Go.')], maxDepth: 0 }) },
  persona: {
    ...told({}, 'Speak like a pirate.'),
    preset: { name: 'pirate', instructions: { mode: 'append', text: 'Speak like a pirate.' } },
  },
  outputSchema: {
    ...told(
      {
        outputSchema: {
          type: 'object',
          properties: { colour: { type: 'string' } },
          required: ['colour'],
          additionalProperties: false,
        },
      },
      'green',
    ),
  },
  images: told(
    { prompt: [text('Go.'), { type: 'image', data: PIXEL(), mimeType: 'image/png' }] },
    '"images":1',
  ),
  resources: told(
    { prompt: [text('Go.'), { type: 'resource', resource: { uri: 'memo:1', text: 'buy marmalade' } }] },
    'buy marmalade',
  ),
  additionalDirectories: {
    request: ({ elsewhere }) => ({ prompt: [text('Go.')], additionalDirectories: [elsewhere] }),
    proves: ({ events }) =>
      events.some(({ event }) => event.type === 'session/update' && isDone(event.update as object)),
  },
  model: told({ model: 'other-model' }, '"model":"other-model"'),
  effort: told({ effort: 'high' }, '"effort":"high"'),
  mcpServers: told(
    { mcpServers: [{ name: 'pantry', command: process.execPath, args: [PANTRY], env: [] }] },
    '"take"',
  ),
  resume: recalls,
  fork: recalls,
  steer: { ...plain, steer: [text('And keep marmalade in mind.')], proves: said('marmalade') },
}

/** One green pixel. */
function PIXEL(): string {
  return 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=='
}

export const codexFixture: ProviderFixture = {
  create: async (place, cue) => {
    const workspace = new Workspace()
    const model = await ModelServer.start(KEY)
    writeFileSync(join(workspace.config, 'config.toml'), nativeConfig(model.url))
    model.when('Go.', ...(turns(place)[cue] ?? [TELL]))
    model.when('Write the marker.', shell(`echo x > ${place.marker}`), say('Written.'))
    model.when('Keep marmalade in mind.', say('I will.'))
    const supervisor = new Supervisor({
      gatewayId: crypto.randomUUID(),
      stateDir: join(workspace.root, 'state'),
    })
    const provider = new CodexProvider({
      command: [nativeProgram(codexNative.command)],
      version: '0.0.0',
      supervisor,
      log: silentLogger,
      inherited: { ...workspace.env, CODEX_HOME: workspace.config },
      env: { LOOPBACK_MODEL_KEY: KEY },
      // The suite counts processes.
      warm: false,
    })
    return {
      provider,
      [Symbol.asyncDispose]: async () => {
        await provider[Symbol.asyncDispose]()
        await supervisor[Symbol.asyncDispose]()
        workspace[Symbol.dispose]()
        await model.close()
      },
    }
  },
  cues: CUES,
  deviations: {
    'result/refusal-is-refused': 'its model interface has no refusal that reaches the client',
  },
}
