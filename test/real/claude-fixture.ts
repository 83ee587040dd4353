/** The real Claude Code as a subject of the conformance suite: its model on loopback plays each situation. */
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
import { ClaudeProvider } from '../../src/providers/claude-code/provider.ts'
import { claudeNative } from './agents.ts'
import { ModelServer } from './model-server.ts'
import type { ModelRequest, Step } from './model/script.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-2b7d'
const PANTRY = fileURLToPath(new URL('pantry-server.mjs', import.meta.url))
const pantry = (marker: string) => ({
  name: 'pantry',
  command: process.execPath,
  args: [PANTRY],
  env: [{ name: 'PANTRY_MARKER', value: marker }],
})
const never = new Promise<never>(() => {})

/** All of a request that a cue looks for. */
const tell = ({ entries, tools, model, effort, instructions, images }: ModelRequest): string =>
  JSON.stringify({ entries, tools, model, effort, instructions, images })
const TELL: Step = { do: 'tell', tell }

const call = (tool: string, input: Readonly<Record<string, unknown>>): Step => ({
  do: 'call',
  tool,
  input,
  unoffered: true,
})
const shell = (command: string): Step => call('Bash', { command, description: 'x' })
const say = (words: string): Step => ({ do: 'say', text: words })

const PROMPT = 'Write the marker.'
const delegates: readonly Step[] = [
  call('Agent', {
    description: 'Write',
    prompt: PROMPT,
    subagent_type: 'general-purpose',
    run_in_background: false,
  }),
  say('Delegated.'),
]

const turns = (place: Place): { readonly [Name in CueName]?: readonly Step[] } => ({
  answer: [say('An answer.')],
  sequence: [say('one two three')],
  hang: [{ do: 'say', text: 'so far on', until: never }],
  silent: [say('')],
  blank: [say(' \n ')],
  toolsOnly: [shell('pwd'), say('')],
  refusal: [{ do: 'break', text: 'I would rather not.', code: 'refusal' }],
  truncation: [{ do: 'break', text: 'The first half', code: 'context_length_exceeded' }],
  fault: [{ do: 'break', text: 'so far', code: 'server_error' }],
  question: [shell(`echo x > ${place.marker}`), say('Done.')],
  permissions: [shell(`echo x > ${place.marker}`), say('Done.')],
  sandbox: [shell(`echo x > ${place.marker}`), say('Done.')],
  depthLimit: delegates,
  outputSchema: [call('StructuredOutput', { colour: 'green' }), say('{"colour":"green"}')],
  toolFilter: [shell(`echo x > ${place.marker}`), say('Done.')],
  toolFilterNone: [shell(`echo x > ${place.marker}`), say('Done.')],
  toolFilterBoth: [shell(`echo x > ${place.marker}`), say('Done.')],
  toolFilterQualified: [call('mcp__pantry__take', {}), say('Done.')],
  toolFilterLate: [shell('sleep 1'), call('mcp__pantry__late', {}), say('Done.')],
  additionalDirectories: [call('Read', { file_path: join(place.elsewhere, 'proof') }), say('Done.')],
  maxTurns: [shell('pwd'), shell('pwd'), shell('pwd'), say('Done.')],
  maxCostUsd: [shell('pwd'), shell('pwd'), say('Done.')],
})

const said =
  (...parts: readonly string[]) =>
  ({ result }: Evidence): boolean =>
    parts.every((part) => result.text.includes(part))

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

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=='

const filtered = (tools: NonNullable<NonNullable<Cue['preset']>['tools']>, served = false): Cue => ({
  request: ({ marker }) => ({
    prompt: [text('Go.')],
    ...(served && { mcpServers: [pantry(marker)] }),
  }),
  preset: { name: 'filtered', tools },
})

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
  question: { request: () => ({ prompt: [text('Go.')] }) },
  permissions: { request: () => ({ prompt: [text('Go.')], permission: 'deny' }) },
  sandbox: { request: () => ({ prompt: [text('Go.')], sandbox: 'read-only' }) },
  depthLimit: { request: () => ({ prompt: [text('Go.')], maxDepth: 0 }) },
  persona: {
    ...told({}, 'Speak like a pirate.'),
    preset: { name: 'pirate', instructions: { mode: 'append', text: 'Speak like a pirate.' } },
  },
  toolFilter: filtered({ deny: ['Bash'] }),
  toolFilterQualified: filtered({ deny: ['mcp__pantry__take'] }, true),
  toolFilterLate: filtered({ allow: ['Read'] }, true),
  toolFilterNone: filtered({ allow: [] }),
  toolFilterBoth: filtered({ allow: ['Bash'], deny: ['Bash'] }),
  outputSchema: {
    request: () => ({
      prompt: [text('Go.')],
      outputSchema: {
        type: 'object',
        properties: { colour: { type: 'string' } },
        required: ['colour'],
        additionalProperties: false,
      },
    }),
    proves: ({ result }) => JSON.stringify(result.structured) === '{"colour":"green"}',
  },
  images: told(
    { prompt: [text('Go.'), { type: 'image', data: PIXEL, mimeType: 'image/png' }] },
    '"images":1',
  ),
  resources: told(
    { prompt: [text('Go.'), { type: 'resource', resource: { uri: 'memo:1', text: 'buy marmalade' } }] },
    'buy marmalade',
  ),
  additionalDirectories: {
    request: ({ elsewhere }) => ({ prompt: [text('Go.')], additionalDirectories: [elsewhere] }),
    // Where a folder is none of its own it asks before it reads.
    proves: ({ events }) => !events.some(({ event }) => event.type === 'permission/requested'),
  },
  model: told({ model: 'other-model' }, '"model":"other-model"'),
  effort: told({ effort: 'high' }, '"effort":"high"'),
  mcpServers: told(
    { mcpServers: [{ name: 'pantry', command: process.execPath, args: [PANTRY], env: [] }] },
    '"mcp__pantry__take"',
  ),
  resume: recalls,
  fork: recalls,
  maxTurns: {
    request: () => ({ prompt: [text('Go.')], limits: { maxTurns: 2 } }),
    proves: ({ result }) => result.category === 'max_turns',
  },
  maxCostUsd: {
    request: () => ({ prompt: [text('Go.')], limits: { maxCostUsd: 0.001 } }),
    proves: ({ result }) => result.category === 'budget',
  },
}

export const claudeFixture: ProviderFixture = {
  create: async (place, cue) => {
    const workspace = new Workspace()
    const model = await ModelServer.start(KEY)
    const { ANTHROPIC_API_KEY: key = '', ...own } = claudeNative.configure(workspace, model.url, KEY)
    model.when('Go.', ...(turns(place)[cue] ?? [TELL]))
    writeFileSync(join(place.elsewhere, 'proof'), 'x')
    // After such an answer it asks once more, with words of its own.
    if (['silent', 'blank', 'toolsOnly', 'refusal', 'truncation'].includes(cue))
      model.aside = turns(place)[cue]?.at(-1)
    model.when(PROMPT, shell(`echo x > ${place.marker}`), say('Written.'))
    model.when('Keep marmalade in mind.', say('I will.'))
    const supervisor = new Supervisor({
      gatewayId: crypto.randomUUID(),
      stateDir: join(workspace.root, 'state'),
    })
    const provider = new ClaudeProvider({
      command: [claudeNative.command],
      supervisor,
      log: silentLogger,
      inherited: { ...workspace.env, ...own },
      env: { ANTHROPIC_API_KEY: key },
    })
    return {
      provider,
      [Symbol.asyncDispose]: async () => {
        await supervisor[Symbol.asyncDispose]()
        workspace[Symbol.dispose]()
        await model.close()
      },
    }
  },
  cues: CUES,
}
