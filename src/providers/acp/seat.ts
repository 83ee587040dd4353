/** A session's place in an agent's process: alone in it, or one of several that share it. */
import type { Work } from '../../process/attribution.ts'
import type { Lease } from '../../process/warm-pool.ts'
import type { AcpAgent } from './agent.ts'

/** What is known of a session that leaves. */
export interface Leaving {
  /** Absent: it was never opened, as far as is known here. */
  readonly nativeId: string | undefined
  /** False while the agent owes it the answer to a prompt. */
  readonly idle: () => boolean
}

export interface Seat {
  readonly agent: AcpAgent
  /** A turn begins; the call that ends it resolves when what an interrupted one left running has ended. */
  turn(): (interrupted: boolean) => Promise<void>
  /** The session has been opened. */
  settled(): void
  /** Resolves, with the pids that escaped, when nothing of the session is left. */
  leave(leaving: Leaving): Promise<readonly number[]>
}

/** Its process ends with it. */
export const ownSeat = (agent: AcpAgent): Seat => ({
  agent,
  turn: () => () => Promise.resolve(),
  settled: () => {},
  leave: () => agent.stop(),
})

/** Agents close a session within a few hundredths of a second; one that doesn't is given to nobody else. */
const CLOSE_MS = 2000

export const sharedSeat = (lease: Lease<AcpAgent>): Seat => {
  const { host: agent } = lease
  const who = {}
  const opening: Work = { of: who }
  agent.begin(opening)
  const close = async (sessionId: string): Promise<void> => {
    const signal = AbortSignal.timeout(CLOSE_MS)
    await agent.connection.request('session/close', { sessionId }, 'session', { signal })
  }
  return {
    agent,
    settled: () => agent.end(opening),
    turn: () => {
      lease.foremost()
      const work: Work = { of: who }
      agent.begin(work)
      return async (interrupted) => {
        agent.end(work)
        if (interrupted) await agent.endStartedBy(work)
      }
    },
    leave: async ({ nativeId, idle }) => {
      if (agent.alive && nativeId !== undefined) await close(nativeId).catch(() => lease.retire())
      // It may know a session that nobody here has heard of, or go on with a turn that nobody follows.
      if (nativeId === undefined || !idle()) lease.retire()
      const left = agent.alive ? await agent.leave(who) : await agent.stop()
      return [...new Set([...left, ...(await lease.release())])]
    },
  }
}
