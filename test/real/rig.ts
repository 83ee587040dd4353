/** What each test of a real agent stands on: a model, a workspace, and the built program between them. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { RealAgent } from './agents.ts'
import { ModelServer } from './model-server.ts'
import { SubgateProcess } from './subgate-process.ts'
import type { Ended, Line } from './subgate-process.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-7f3a9c'

export interface RunOptions {
  /** By name, as users do; else as a command behind `--`. */
  readonly by?: 'name' | 'command'
  readonly asking?: boolean
  /** A key that the model doesn't know. */
  readonly key?: string
  readonly flags?: readonly string[]
  /** Of the program alone. */
  readonly env?: Readonly<Record<string, string>>
}

export class Rig implements AsyncDisposable {
  readonly agent: RealAgent
  readonly model: ModelServer
  readonly workspace: Workspace = new Workspace()
  configure: RealAgent['configure']

  private constructor(agent: RealAgent, model: ModelServer) {
    this.agent = agent
    this.configure = agent.configure
    this.model = model
  }

  static async of(agent: RealAgent): Promise<Rig> {
    if (!existsSync(agent.command)) throw new Error(`${agent.command} is absent: npm ci --prefix test/real`)
    return new Rig(agent, await ModelServer.start(KEY))
  }

  start(prompt: string, options: RunOptions = {}): SubgateProcess {
    const { agent, workspace } = this
    const { by = agent.native === true ? 'name' : 'command', asking = false, key = KEY, flags = [] } = options
    const { env: around = {} } = options
    const own = this.configure(workspace, this.model.url, key)
    const env = { ...own, ...(asking ? agent.asking(workspace) : {}) }
    const passed = by === 'name' ? agent.named : Object.keys(env)
    const controls = [
      '--output-format',
      'stream-json',
      ...passed.flatMap((name) => ['--env', name]),
      ...flags,
    ]
    const args =
      by === 'name'
        ? ['run', agent.name, ...controls, ...(prompt === '' ? [] : [prompt])]
        : ['run', ...controls, prompt, '--', agent.command, ...(agent.args ?? [])]
    return new SubgateProcess(workspace, { ...env, ...around }, args)
  }

  /** Waits for the end and checks what holds for every run: nothing is left, and no key got out. */
  async end(run: SubgateProcess): Promise<Ended> {
    const ended = await run.ended
    expect(ended.left).toEqual([])
    expect(this.model.refused).toEqual([])
    const said = JSON.stringify([ended.events, ended.document, ended.stderr])
    expect(said).not.toContain(KEY)
    for (const content of this.#stored()) expect(content).not.toContain(KEY)
    expect(ended.signal).toBe(null)
    expect(ended.document.exitCode).toBe(ended.code)
    return ended
  }

  async run(prompt: string, options: RunOptions = {}): Promise<Ended> {
    return this.end(this.start(prompt, options))
  }

  /** Everything that the program itself wrote under its home. */
  #stored(): readonly string[] {
    return ['.state', '.data', '.cache', '.config'].flatMap((folder) => {
      const root = join(this.workspace.env['HOME'] ?? '', folder, 'subgate')
      try {
        return readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      } catch {
        return []
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.workspace[Symbol.dispose]()
    await this.model.close()
  }
}

type Event = NonNullable<Line['event']>

/** The piece of the agent's message that an event carries, or nothing. */
export const chunkOf = (event: Event): string => {
  const update = event['update'] as { sessionUpdate?: string; content?: { text?: string } } | undefined
  return update?.sessionUpdate === 'agent_message_chunk' ? (update.content?.text ?? '') : ''
}
