/** A provider under observation: what was opened, what is still open, and how its turns ended. */
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { ProviderSession, SubagentProvider } from '../contract/provider.ts'

export interface Observed {
  readonly provider: SubagentProvider
  /** How often `open` was called. */
  readonly opens: number
  /** Sessions that were opened and not disposed. */
  readonly open: number
  /** Turns that were given to the agent and have not ended. */
  readonly turns: number
  /** A session was disposed while a turn of it had not ended. */
  readonly forced: boolean
  readonly last: ProviderSession | undefined
  /** Called when `open` is; while it is pending the agent is being set up. */
  onOpen: (() => void) | undefined
  /** Called when a session is set up, before anything else happens to it. */
  onOpened: (() => void) | undefined
}

export const observed = (provider: SubagentProvider): Observed => {
  const sessions = new Set<ProviderSession>()
  const state = {
    opens: 0,
    turns: 0,
    forced: false,
    last: undefined as ProviderSession | undefined,
    onOpen: undefined as (() => void) | undefined,
    onOpened: undefined as (() => void) | undefined,
    get open() {
      return sessions.size
    },
  }
  const watch = (session: ProviderSession): ProviderSession => {
    sessions.add(session)
    const watched: ProviderSession = {
      get capabilities(): SubagentCapabilities {
        return session.capabilities
      },
      get nativeId() {
        return session.nativeId
      },
      get model() {
        return session.model
      },
      get usable() {
        return session.usable
      },
      prompt: async (content, turn) => {
        state.turns += 1
        try {
          return await session.prompt(content, turn)
        } finally {
          state.turns -= 1
        }
      },
      ...(session.steer !== undefined && {
        steer: (content) => session.steer?.(content) ?? Promise.resolve(),
      }),
      [Symbol.asyncDispose]: async () => {
        if (state.turns > 0) state.forced = true
        await session[Symbol.asyncDispose]()
        sessions.delete(session)
      },
    }
    state.last = watched
    return watched
  }
  return Object.assign(state, {
    provider: {
      name: provider.name,
      get capabilities() {
        return provider.capabilities
      },
      negotiated: provider.negotiated,
      inheritsParentContext: provider.inheritsParentContext,
      ...(provider.check !== undefined && { check: (request) => provider.check?.(request) }),
      open: async (request, setup) => {
        state.opens += 1
        const opening = provider.open(request, setup)
        state.onOpen?.()
        const session = watch(await opening)
        state.onOpened?.()
        return session
      },
    } satisfies SubagentProvider,
  })
}
