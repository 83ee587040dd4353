/** Where a check takes place: fresh directories, the provider under observation, and a runtime around it. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogEntry } from '../contract/events.ts'
import type { Preset, SubagentStartRequest } from '../contract/request.ts'
import type { StartOptions, SubagentRun } from '../contract/run.ts'
import { DEFAULT_SETTINGS } from '../runtime/options.ts'
import { GatewayRuntime } from '../runtime/subagent-runtime.ts'
import { memoryStore } from '../sessions/memory-store.ts'
import type { Store } from '../sessions/store.ts'
import { Unmet } from './failure.ts'
import type { CueRequest, Evidence, Place, ProviderFixture, Subject } from './fixture.ts'
import type { CueName } from './manifest.ts'
import { observed } from './observed.ts'
import type { Observed } from './observed.ts'
import { ownProcesses } from './own-processes.ts'

/** How long an agent has to end a turn that was cancelled. */
const CANCEL_MS = 2_000

export type Start = Omit<SubagentStartRequest, 'provider' | 'cwd'>

export class Stage implements AsyncDisposable {
  readonly place: Place
  readonly observed: Observed
  readonly runtime: GatewayRuntime
  readonly store: Store
  /** Ids of sessions that were ever published. */
  readonly published: readonly string[]
  readonly #subject: Subject
  readonly #before: ReadonlySet<number>

  private constructor(place: Place, subject: Subject, preset: Preset | undefined, store: Store) {
    this.place = place
    this.#subject = subject
    this.#before = new Set(ownProcesses())
    this.observed = observed(subject.provider)
    const published: string[] = []
    this.published = published
    this.store = {
      ...store,
      publish: (header, ...rest) => {
        published.push(header.id)
        store.publish(header, ...rest)
      },
    }
    this.runtime = new GatewayRuntime({
      store: this.store,
      // What an agent is held back by must be the control under test, not a default.
      settings: { ...DEFAULT_SETTINGS, cwd: place.workspace, cancelMs: CANCEL_MS, permission: 'allow' },
      providers: [{ provider: this.observed.provider, settings: subject.settings ?? {} }],
      presets: {
        find: async (name) => (preset?.name === name ? preset : undefined),
        names: async () => (preset === undefined ? [] : [preset.name]),
      },
    })
  }

  static async open(fixture: ProviderFixture, cue: CueName, preset?: Preset): Promise<Stage> {
    const place = await freshPlace()
    try {
      const store = memoryStore()
      return new Stage(place, await fixture.create(place, cue, store), preset, store)
    } catch (error) {
      await removePlace(place)
      throw error
    }
  }

  start(request: Start, options: StartOptions = {}): Promise<SubagentRun> {
    return this.runtime.start({ ...request, provider: this.observed.provider.name }, options)
  }

  /** A dry run. */
  check(request: Start): Promise<void> {
    return this.runtime.check({ ...request, provider: this.observed.provider.name })
  }

  async play(request: Start, stage: Evidence['stage'] = 'only'): Promise<Evidence> {
    const run = await this.start(request)
    return { result: await run.result, events: await eventsOf(run), place: this.place, stage }
  }

  /** What of the agents is still there: processes, and what the fixture names. */
  async leftovers(): Promise<readonly string[]> {
    const processes = ownProcesses().filter((pid) => !this.#before.has(pid))
    const named = (await this.#subject.leftovers?.()) ?? []
    return [
      ...processes.map((pid) => `the process ${pid}`),
      ...named,
      ...(this.observed.open > 0 ? [`${this.observed.open} sessions that were not disposed`] : []),
    ]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.runtime[Symbol.asyncDispose]()
      await this.#subject[Symbol.asyncDispose]()
    } finally {
      await removePlace(this.place)
    }
  }
}

export const eventsOf = (run: SubagentRun, after?: number): Promise<LogEntry[]> =>
  Array.fromAsync(run.events(after === undefined ? {} : { after }))

/** The cue's request; a fixture that has no such cue fails. */
export const cueOf = (
  fixture: ProviderFixture,
  name: CueName,
): NonNullable<ProviderFixture['cues'][CueName]> => {
  const cue = fixture.cues[name]
  if (cue === undefined) throw new Unmet(`the fixture to have a cue "${name}"`, 'none')
  return cue
}

/** The request names the cue's preset, when it has one. */
export const withPreset = (request: CueRequest, preset: Preset | undefined): Start =>
  preset === undefined ? request : { ...request, preset: preset.name }

const freshPlace = async (): Promise<Place> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'subgate-conformance-')))
  const place = { workspace: join(root, 'workspace'), elsewhere: join(root, 'elsewhere') }
  await mkdir(place.workspace)
  await mkdir(place.elsewhere)
  return { ...place, marker: join(place.workspace, 'marker') }
}

const removePlace = ({ workspace }: Place): Promise<void> =>
  rm(join(workspace, '..'), { recursive: true, force: true })
