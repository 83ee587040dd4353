/** Starts agents' processes and owns their trees until they are gone. The only user of execa. */
import { randomUUID } from 'node:crypto'
import { execa } from 'execa'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { ProcessOwner, ProcessRecord } from '../contract/process-record.ts'
import { commandLine, maskValues } from './command-line.ts'
import { GRACES } from './graces.ts'
import type { Graces } from './graces.ts'
import { bootId, processRow } from './process-table.ts'
import { removeRecord, writeRecord } from './records.ts'
import { spawnFailure } from './spawn-failure.ts'
import { Supervised } from './supervised.ts'
import type { SupervisedProcess } from './supervised.ts'
import { ProcessTree } from './tree.ts'
import { Watchdog } from './watchdog.ts'

export interface SpawnSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Names that the environment's rules kept back: reported when the process fails. */
  readonly withheld: readonly string[]
  /** Names of variables whose values a person gave: whatever their name, no message shows them. */
  readonly given?: readonly string[]
  readonly owner: ProcessOwner
  readonly graces?: Partial<Graces>
}

/**
 * A fork of this process costs up to 15 ms of a core, which a short run needn't pay. Whoever kills the gateway within
 * this time leaves children that see their input end, and that the next start reaps.
 */
export const WATCHDOG_DELAY_MS = 300

export interface SupervisorOptions {
  readonly gatewayId: string
  readonly stateDir: string
  /** The gateway's own `SUBGATE_RUN`: it runs within another gateway's tree, and so do its children. */
  readonly inheritedMarker?: string
  readonly warn?: (message: string) => void
}

export interface LiveProcess {
  readonly pid: number
  readonly command: string
  readonly sessionId: SessionId
  /** It is kept for the next session; the one that is named here has ended. */
  readonly idle?: boolean
}

interface Entry {
  readonly process: Supervised
  readonly record: ProcessRecord
  /** The sessions that it works for; the record names the first. */
  owners: readonly ProcessOwner[]
}

export class Supervisor implements AsyncDisposable {
  readonly #options: SupervisorOptions
  readonly #warn: (message: string) => void
  readonly #watchdog: Watchdog
  readonly #entries = new Set<Entry>()
  readonly #place: Pick<ProcessRecord, 'bootId' | 'gateway'>
  #watched = false
  #warned = false
  #closed = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#warn = options.warn ?? (() => undefined)
    this.#watchdog = new Watchdog(options.gatewayId, options.inheritedMarker, this.#warn)
    this.#place = {
      bootId: bootId(),
      gateway: {
        pid: process.pid,
        startTime: processRow(process.pid)?.startTime ?? 0,
        id: options.gatewayId,
      },
    }
  }

  /**
   * Resolves when the process runs and is recorded. Rejects with `AGENT_NOT_FOUND` or `AGENT_NOT_EXECUTABLE`, or
   * with `INVALID_REQUEST` when it is the directory that is missing; then nothing was started.
   */
  async spawn(spec: SpawnSpec): Promise<SupervisedProcess> {
    const line = maskValues(commandLine(spec.command, spec.args), spec.env, spec.given)
    if (this.#closed)
      throw new SubagentError(
        'CLOSED',
        'spawn',
        `Can't start ${line}: the gateway is closed. Create another one.`,
        {},
      )
    const runId = randomUUID()
    const { inheritedMarker, gatewayId } = this.#options
    const marker = inheritedMarker === undefined ? runId : `${inheritedMarker}:${runId}`
    const env = { ...spec.env, SUBGATE_RUN: marker, SUBGATE_GATEWAY: gatewayId }
    const child = begin(spec, env)
    if (typeof child === 'string' || child.pid === undefined) {
      const errno = typeof child === 'string' ? child : ((await child).code ?? 'UNKNOWN')
      const { command, cwd, withheld } = spec
      const facts = { command: line, cwd, ...(withheld.length === 0 ? {} : { withheld }) }
      throw spawnFailure({ command, cwd, env, errno, facts })
    }
    const { pid } = child
    // Not collected yet, so its row is there even if it has ended already.
    const identity = { pid, startTime: processRow(pid)?.startTime ?? 0 }
    const record: ProcessRecord = { ...identity, ...this.#place, ...spec.owner, marker, command: line }
    this.#record(record)
    const supervised = new Supervised({
      pid,
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      onExit: (listener) => child.nodeChildProcess.once('exit', listener),
      commandLine: line,
      cwd: spec.cwd,
      mask: (text) => maskValues(text, env, spec.given),
      withheld: spec.withheld,
      tree: new ProcessTree({ ...identity, runId, groupOutlivesLeader: true }),
      graces: { ...GRACES, ...spec.graces },
      onStopped: (escaped) => {
        this.#entries.delete(entry)
        // With a survivor the record stays, for the next start to try again.
        if (escaped.length === 0) this.#forget(identity)
      },
    })
    const entry: Entry = { process: supervised, record, owners: [spec.owner] }
    this.#entries.add(entry)
    this.#watch()
    return supervised
  }

  /** The processes that run now, by owner (law 5). */
  live(): readonly LiveProcess[] {
    return [...this.#entries]
      .filter((entry) => !entry.process.hasExited)
      .map(({ record: { pid, command, sessionId }, owners }) => ({
        pid,
        command,
        sessionId: owners[0]?.sessionId ?? sessionId,
        ...(owners.length === 0 && { idle: true }),
      }))
  }

  /**
   * Which sessions a process that several share works for from now on: what they delegate is known by it. None: it
   * is kept for the next one.
   */
  host(pid: number, owners: readonly ProcessOwner[]): void {
    const entry = [...this.#entries].find(({ record }) => record.pid === pid)
    if (entry === undefined) return
    const { record } = entry
    const guests = (of: readonly ProcessOwner[]): readonly ProcessOwner[] => of.slice(1)
    const [first] = owners
    this.#record(first === undefined ? { ...record, idle: true } : { ...record, ...first })
    for (const guest of guests(owners)) this.#record({ ...record, ...guest }, guest.sessionId)
    const staying = new Set(guests(owners).map(({ sessionId }) => sessionId))
    for (const { sessionId } of guests(entry.owners)) {
      if (!staying.has(sessionId)) this.#forget(record, sessionId)
    }
    entry.owners = owners
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#entries].map((entry) => entry.process.stop()))
    await this.#watchdog.goodbye()
  }

  /** When the child is well on its way: starting the watchdog must not hold it up. */
  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    setTimeout(() => {
      if (!this.#closed) this.#watchdog.start()
    }, WATCHDOG_DELAY_MS).unref()
  }

  #record(record: ProcessRecord, guest?: SessionId): void {
    try {
      writeRecord(this.#options.stateDir, record, guest)
    } catch (error) {
      this.#complain(error)
    }
  }

  #forget(identity: Pick<ProcessRecord, 'pid' | 'startTime'>, guest?: SessionId): void {
    try {
      removeRecord(this.#options.stateDir, identity, guest)
    } catch (error) {
      this.#complain(error)
    }
  }

  #complain(error: unknown): void {
    if (this.#warned) return
    this.#warned = true
    const reason = error instanceof Error ? error.message : String(error)
    this.#warn(
      `Can't keep process records in ${this.#options.stateDir} (${reason}). If the gateway is killed, the next start finds no orphans to end. Make the folder writable.`,
    )
  }
}

const launch = ({ command, args, cwd }: SpawnSpec, env: Readonly<Record<string, string>>) =>
  execa(command, args, {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    buffer: false,
    cleanup: false,
    detached: true,
    stdin: 'pipe',
  })

/** The child, or the code of an error that the arguments themselves raised. */
const begin = (
  spec: SpawnSpec,
  env: Readonly<Record<string, string>>,
): ReturnType<typeof launch> | string => {
  try {
    return launch(spec, env)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ERR_INVALID_ARG_VALUE'
  }
}
