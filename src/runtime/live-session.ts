/** A session that is open in this process: its log, its agent while one is kept, and its place in the tree. */
import type { SessionId } from '../contract/ids.ts'
import type { ProviderSession } from '../contract/provider.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { LiveRun } from './live-run.ts'
import type { Registered } from './registry.ts'

export class LiveSession {
  readonly log: SessionLog
  readonly registered: Registered
  readonly parent: LiveSession | undefined
  readonly children: Set<LiveSession> = new Set()
  /** Labels from the root's child down to here; empty on a root. */
  readonly path: readonly string[]
  /** The agent, as long as it is set up. */
  agent: ProviderSession | undefined
  run: LiveRun | undefined

  constructor(log: SessionLog, registered: Registered, parent: LiveSession | undefined) {
    this.log = log
    this.registered = registered
    this.parent = parent
    const own = log.header.label ?? registered.provider.name
    this.path = log.header.parentId === undefined ? [] : [...(parent?.path ?? []), own]
    parent?.children.add(this)
  }

  get id(): SessionId {
    return this.log.id
  }

  /** Something is still going on here or below. */
  get busy(): boolean {
    return this.run !== undefined || [...this.children].some((child) => child.busy)
  }

  /** The agent goes, and with it all that belongs to it; what it failed to end is said in the log. */
  async dismissAgent(): Promise<void> {
    const { agent } = this
    this.agent = undefined
    try {
      await agent?.[Symbol.asyncDispose]()
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      this.log.append({
        type: 'notice',
        severity: 'warning',
        title: 'The agent could not be ended cleanly.',
        detail,
      })
    }
  }
}
