/**
 * Judges processes that can't be looked at: only one whose sign of life stands still for long is dead. Time is that of
 * whoever watches, so that a clock that is set ends nobody's run; at first sight an old sign is only a suspicion.
 */
import { readlinkSync } from 'node:fs'
import type { Owner } from '../store.ts'

/** A process of another namespace of pids is taken for dead when its sign of life stands still for so long. */
export const DEAD_MS = 60_000

/** A sign of life, and since when it is known to stand still. */
export interface Sighting {
  readonly seenAt: number
  /** Milliseconds of a clock that nobody sets. */
  readonly since: number
  /** Processes that name the same clock read the same time from it. */
  readonly clock: string
}

export interface WatchClock {
  readonly id: string
  readonly now: () => number
}

/** The kernel's monotonic clock: the same in all processes of a boot, but for those in a time namespace of their own. */
export const bootClock = (): WatchClock => {
  let id = 'boot'
  try {
    id = readlinkSync('/proc/self/ns/time')
  } catch {
    // Elsewhere than Linux, and in old kernels, there is one for all.
  }
  const now = (): number => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1000 + nanoseconds / 1e6
  }
  return { id, now }
}

type Watched = Pick<Owner, 'id' | 'seenAt' | 'sighting'>

export class OwnerWatch {
  readonly #clock: WatchClock
  readonly #sightings = new Map<string, Sighting>()

  constructor(clock: WatchClock) {
    this.#clock = clock
  }

  /** For how long its sign of life is known to stand still; 0 at first sight. */
  silentMs(owner: Watched): number {
    const now = this.#clock.now()
    const before = this.#before(owner)
    const same = before?.seenAt === owner.seenAt && before.since <= now
    const sighting = same ? before : { seenAt: owner.seenAt, since: now, clock: this.#clock.id }
    this.#sightings.set(owner.id, sighting)
    return now - sighting.since
  }

  isDead(owner: Watched): boolean {
    return this.silentMs(owner) >= DEAD_MS
  }

  /** What another process should know of this one; undefined where it knows as much. */
  news({ id, sighting }: Watched): Sighting | undefined {
    const own = this.#sightings.get(id)
    return own === undefined || (own.seenAt === sighting?.seenAt && own.clock === sighting.clock)
      ? undefined
      : own
  }

  /** What this process has seen itself, else what another one of the same clock has left. */
  #before({ id, sighting }: Watched): Sighting | undefined {
    const stored = sighting?.clock === this.#clock.id ? sighting : undefined
    return this.#sightings.get(id) ?? stored
  }
}
