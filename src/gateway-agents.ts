/** The built-in agents of this deployment: their models, tools and defaults, from configuration. */
import { randomUUID } from 'node:crypto'
import { outputsDir } from './agent/large-outputs.ts'
import type { Config } from './config/config.ts'
import { present } from './contract/present.ts'
import type { RegisteredProvider } from './runtime/options.ts'
import type { SessionStore } from './sessions/store.ts'
import type { Deployment } from './providers/in-process/deployment.ts'
import { inProcessProvider } from './providers/in-process/provider.ts'
import type { InProcessName } from './providers/in-process/provider.ts'

export interface BuiltInOptions {
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stateDir: string
  readonly store: SessionStore
  /** The store outlives this process. */
  readonly lasts: boolean
}

/** Where configuration names no delegation tool, the agent can start another of its kind. */
const DEFAULT_TOOLS: Config['tools'] = { subagent: { provider: 'spawn' } }

const HINT =
  'The built-in agent was asked for, but no model is named. Type --model provider/model (anthropic/…, openai/…, google/…, ' +
  'ollama/…) with its key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY), set ' +
  '"model" in the configuration, or try it without a key: --model rehearsal.'

export const builtInAgents = ({
  config,
  env,
  stateDir,
  store,
  lasts,
}: BuiltInOptions): readonly RegisteredProvider[] => {
  const { prices = {} } = config
  const tools = Object.keys(config.tools).length === 0 ? DEFAULT_TOOLS : config.tools
  const deployment: Deployment = {
    store,
    outputsDir: outputsDir(stateDir),
    outputsLast: lasts,
    models: new Map(),
    sandbox: config.sandbox ?? 'workspace-write',
    approvals: 'ask',
    delegationTools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool })),
    loadModel: async (ref) => (await import('./agent/models/model.ts')).loadModel(ref, { env, prices }),
    modelHint: () => HINT,
    newId: () => randomUUID(),
    ...present({ model: config.model }),
  }
  const registered = (name: InProcessName, aliases: readonly string[] = []): RegisteredProvider => {
    const { permission = config.permission, concurrency, graces } = config.providers[name] ?? {}
    return {
      provider: inProcessProvider(name, { ...deployment, ...present({ permission }) }),
      aliases,
      settings: present({ permission, concurrency, cancelMs: graces?.cancelMs }),
    }
  }
  return [registered('spawn', ['builtin']), registered('fork')]
}
