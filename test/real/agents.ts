/** The agents: how each is started, pointed at the model on loopback, and made to use its shell. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Step } from './model/script.ts'
import type { Workspace } from './workspace.ts'

type Environment = Readonly<Record<string, string>>

export interface RealAgent {
  /** The provider's name. */
  readonly name: string
  readonly command: string
  readonly args?: readonly string[]
  /** It is driven by its own interface, which a command behind `--` can't tell. */
  readonly native?: true
  /** Variables that only the user's setup knows, so that they have to be named with `--env`. */
  readonly named: readonly string[]
  /** Writes the agent's own configuration and gives its environment. */
  readonly configure: (workspace: Workspace, url: string, key: string) => Environment
  /** Configuration with which the agent asks before it runs a command. */
  readonly asking: (workspace: Workspace) => Environment
  /** How a run ends whose only tool call was denied (B10.3): one agent goes on and answers, another stops there. */
  readonly afterDenial: { readonly status: 'completed' | 'empty'; readonly exit: 5 | 9 }
  /** The model's call of the agent's shell tool. */
  readonly shell: (command: string) => Step
}

const program = (name: string): string => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url))

export const claudeAgent: RealAgent = {
  name: 'claude-acp',
  command: program('claude-agent-acp'),
  afterDenial: { status: 'completed', exit: 5 },
  named: [],
  configure: (workspace, url, key) => ({
    CLAUDE_CONFIG_DIR: workspace.config,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  }),
  asking: (workspace) => {
    const settings = { permissions: { defaultMode: 'default' } }
    writeFileSync(join(workspace.config, 'settings.json'), JSON.stringify(settings))
    return {}
  },
  shell: (command) => ({ do: 'call', tool: 'Bash', input: { command, description: 'A test command' } }),
}

/** Its own interface; retries are off so that a test doesn't wait. */
export const claudeNative: RealAgent = {
  name: 'claude-code',
  command: program('claude'),
  native: true,
  afterDenial: { status: 'completed', exit: 5 },
  named: [],
  configure: claudeAgent.configure,
  asking: () => ({}),
  shell: claudeAgent.shell,
}

/** It asks for each tool by itself; its own file chooses how it signs in. */
export const geminiAgent: RealAgent = {
  name: 'gemini',
  command: program('gemini'),
  args: ['--acp'],
  afterDenial: { status: 'completed', exit: 5 },
  named: [],
  configure: (workspace, url, key) => {
    const home = join(workspace.env['HOME'] ?? '', '.gemini')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'settings.json'), JSON.stringify(GEMINI_SETTINGS))
    return { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }
  },
  asking: () => ({}),
  shell: (command) => ({ do: 'call', tool: 'run_shell_command', input: { command } }),
}

/** Its own program, without the launcher that chooses one; it is found on the PATH that this gives. */
export const opencodeAgent: RealAgent = {
  name: 'opencode',
  command: fileURLToPath(new URL('node_modules/opencode-linux-x64-baseline/bin/opencode', import.meta.url)),
  args: ['acp'],
  afterDenial: { status: 'completed', exit: 5 },
  named: [],
  configure: (workspace, url, key) => ({
    PATH: [dirname(opencodeAgent.command), workspace.env['PATH'] ?? ''].join(delimiter),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url, key)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  asking: () => ({}),
  shell: (command) => ({ do: 'call', tool: 'bash', input: { command, description: 'A test command' } }),
}

/** That of the official SDK, as its last version with examples brings it: a turn of five seconds, which asks once. */
export const exampleAgent: RealAgent = {
  name: 'acp',
  command: process.execPath,
  args: [
    fileURLToPath(
      new URL(
        'node_modules/acpx/node_modules/@agentclientprotocol/sdk/dist/examples/agent.js',
        import.meta.url,
      ),
    ),
  ],
  afterDenial: { status: 'completed', exit: 5 },
  named: [],
  configure: () => ({}),
  asking: () => ({}),
  shell: () => ({ do: 'say', text: 'It has no model.' }),
}

const opencodeConfig = (url: string, key: string): object => ({
  provider: {
    loopback: {
      npm: '@ai-sdk/anthropic',
      name: 'loopback',
      options: { baseURL: `${url}/v1`, apiKey: key },
      models: { 'loopback-model': { name: 'loopback-model', limit: { context: 100_000, output: 4096 } } },
    },
  },
  model: 'loopback/loopback-model',
  small_model: 'loopback/loopback-model',
  enabled_providers: ['loopback'],
  permission: { bash: 'ask', edit: 'ask' },
})

const GEMINI_SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // Else it tries ten times, for minutes.
  general: { enableAutoUpdate: false, maxAttempts: 1, retryFetchErrors: false },
  model: { name: 'gemini-2.5-flash' },
}

/** Retries are off, and a server that is down is an error instead of something to wait for. */
const codexConfig = (url: string): string => `
model = "loopback-model"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
plugins = false
apps = false
unbounded_connection_retries = false
`

export const codexAgent: RealAgent = {
  name: 'codex-acp',
  command: program('codex-acp'),
  afterDenial: { status: 'empty', exit: 9 },
  named: ['LOOPBACK_MODEL_KEY'],
  configure: (workspace, url, key) => {
    writeFileSync(join(workspace.config, 'config.toml'), codexConfig(url))
    return { CODEX_HOME: workspace.config, LOOPBACK_MODEL_KEY: key, NO_BROWSER: '1' }
  },
  asking: () => ({ INITIAL_AGENT_MODE: 'read-only' }),
  shell: (command) => ({
    do: 'call',
    tool: 'exec_command',
    // Without escalation codex runs it in its sandbox and asks nobody.
    input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'A test command' },
  }),
}

/** Its own interface, with nothing switched off by its file: the provider does that. */
export const codexNative: RealAgent = {
  name: 'codex',
  command: program('codex'),
  native: true,
  afterDenial: { status: 'completed', exit: 5 },
  named: ['LOOPBACK_MODEL_KEY'],
  configure: (workspace, url, key) => {
    writeFileSync(join(workspace.config, 'config.toml'), nativeConfig(url))
    return { CODEX_HOME: workspace.config, LOOPBACK_MODEL_KEY: key }
  },
  asking: () => ({}),
  shell: codexAgent.shell,
}

export const nativeConfig = (url: string): string => `
model = "loopback-model"
model_provider = "loopback"
sandbox_mode = "workspace-write"
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
`
