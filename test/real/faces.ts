/** One way to start a real agent by the program and by the library, so that one table of tests holds for both. */
import { expect } from 'vitest'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import { createSubgate } from '../../src/index.ts'
import type { Subgate, SubagentRun } from '../../src/index.ts'
import { variableOf } from './processes.ts'
import type { Rig } from './rig.ts'
import type { Ended, SubgateProcess } from './subgate-process.ts'

export type Controls = Pick<
  SubagentStartRequest,
  'sandbox' | 'permission' | 'preset' | 'outputSchema' | 'session'
> & { readonly idleMs?: number }

type Below = Pick<SubagentStartRequest, 'parent'>

export interface Ending {
  readonly sessionId?: string
  readonly status?: string
  readonly category?: string
  readonly text?: string
  readonly structured?: unknown
  readonly denied?: readonly { readonly kind: string }[]
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly retryable?: boolean
    readonly data?: unknown
  }
}

type Update = { readonly sessionUpdate?: string; readonly status?: string }

export interface Playing {
  /** Resolves at the first update that fits, or when the run has ended without one. */
  update(fits: (update: Update) => boolean): Promise<void>
  cancel(): void
  /** How it ended, a refusal of the start among it. */
  readonly ending: Promise<Ending>
}

export interface Face extends AsyncDisposable {
  start(prompt: string, controls?: Controls): Playing
  /** A child of a run that goes on. */
  below(parent: Playing, prompt: string): Promise<Playing>
  /** Whoever runs here is gone, as if it had never been; sessions stay on disk. */
  restart(): Promise<void>
}

export type FaceName = 'subgate run' | 'the library'

export const FACES: readonly FaceName[] = ['subgate run', 'the library']

export const faceOf = (name: FaceName, rig: Rig): Face =>
  name === 'the library' ? new Library(rig) : new Program(rig)

const updateOf = (event: { readonly type: string }): Update =>
  event.type === 'session/update' ? ((event as { update?: Update }).update ?? {}) : {}

class Library implements Face {
  readonly #rig: Rig
  readonly #runs = new Map<Playing, Promise<SubagentRun>>()
  #gate: Promise<Subgate> | undefined

  constructor(rig: Rig) {
    this.#rig = rig
  }

  start(prompt: string, { idleMs, ...controls }: Controls & Below = {}): Playing {
    const limits = idleMs === undefined ? {} : { limits: { idleMs } }
    this.#gate ??= this.#open()
    const starting = this.#gate.then((gate) =>
      gate.start(this.#rig.agent.name, prompt, { ...controls, ...limits }),
    )
    const ending = starting.then(
      (run): Promise<Ending> => run.result,
      (error: Ending['error']): Ending => (error === undefined ? {} : { error }),
    )
    const playing: Playing = {
      ending,
      update: async (fits) => {
        for await (const { event } of (await starting).events()) if (fits(updateOf(event))) return
      },
      cancel: () => void starting.then((run) => run.cancel()),
    }
    this.#runs.set(playing, starting)
    return playing
  }

  async below(parent: Playing, prompt: string): Promise<Playing> {
    const run = await this.#runs.get(parent)
    return this.start(prompt, run === undefined ? {} : { parent: { sessionId: run.sessionId } })
  }

  async restart(): Promise<void> {
    const gate = await this.#gate
    this.#gate = undefined
    await gate?.[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.restart()
  }

  #open(): Promise<Subgate> {
    const { agent, workspace, model, configure } = this.#rig
    const own = Object.entries(configure(workspace, model.url, model.key))
    const isNamed = ([name]: readonly [string, string]): boolean => agent.named.includes(name)
    return createSubgate({
      cwd: workspace.work,
      home: workspace.env['HOME'] ?? '',
      env: { ...workspace.env, ...Object.fromEntries(own.filter((entry) => !isNamed(entry))) },
      agentEnv: Object.fromEntries(own.filter(isNamed)),
    })
  }
}

class Program implements Face {
  readonly #rig: Rig
  readonly #running = new Set<SubgateProcess>()

  constructor(rig: Rig) {
    this.#rig = rig
  }

  /** As its agent would start it: what tells a program whom it works for is in the agent's environment. */
  async below(_parent: Playing, prompt: string): Promise<Playing> {
    const { workspace } = this.#rig
    const lineage = (): string | undefined =>
      workspace.live().flatMap(({ pid }) => variableOf(pid, 'SUBGATE_LINEAGE') ?? [])[0]
    await expect.poll(lineage, { timeout: 30_000 }).toBeDefined()
    const run = this.#rig.start(prompt, { env: { SUBGATE_LINEAGE: lineage() ?? '' } })
    // What is left then is the parent's, too.
    return this.#playing(run, run.ended)
  }

  start(prompt: string, controls: Controls = {}): Playing {
    const run = this.#rig.start(prompt, { flags: flagsOf(controls) })
    return this.#playing(run, this.#rig.end(run))
  }

  #playing(run: SubgateProcess, ended: Promise<Ended>): Playing {
    this.#running.add(run)
    const ending = ended.then(({ document }): Ending => document)
    ending.catch(() => {})
    void run.ended.finally(() => this.#running.delete(run)).catch(() => {})
    return {
      ending,
      update: async (fits) => {
        await Promise.race([run.event((event) => fits(updateOf(event))), run.ended])
      },
      cancel: () => run.kill('SIGINT'),
    }
  }

  /** Each is a process of its own, and gone when it has ended; one that runs is told to end. */
  async restart(): Promise<void> {
    for (const run of this.#running) run.kill('SIGTERM')
    await Promise.all([...this.#running].map((run) => run.ended))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.restart()
  }
}

const flagsOf = (controls: Controls): readonly string[] => {
  const { sandbox, permission, preset, outputSchema, session, idleMs } = controls
  const flag = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [name, value]
  const resumed = session === undefined || session.from === 'new' ? undefined : session.sessionId
  return [
    ...flag('--sandbox', sandbox),
    ...flag('--permission', permission),
    ...flag('--agent', preset),
    ...flag('--json-schema', outputSchema && JSON.stringify(outputSchema)),
    ...flag('--resume', resumed),
    ...(session?.from === 'fork' ? ['--fork'] : []),
    ...flag('--idle-timeout', idleMs === undefined ? undefined : String(idleMs / 1000)),
  ]
}
