/** Which of a client's methods a session's agent is offered, and who serves each. Pure. */
import type { ClientOffer } from '../../contract/client.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'

/** The person's client, or this process by itself. */
export type Source = 'client' | 'local'

export interface ClientMethods {
  readonly read: Source | undefined
  readonly write: Source | undefined
  readonly terminal: Source | undefined
  readonly elicitation: ClientOffer['elicitation']
}

/** True: served here where no client does. False: never offered. */
export interface ConfiguredMethods {
  readonly read?: boolean
  readonly write?: boolean
  readonly terminal?: boolean
}

const NOTHING: ClientOffer = {
  readTextFile: false,
  writeTextFile: false,
  terminal: false,
  elicitation: { form: false, url: false },
}

const sourceOf = (configured: boolean | undefined, offered: boolean): Source | undefined => {
  if (configured === false) return undefined
  if (offered) return 'client'
  return configured === true ? 'local' : undefined
}

/**
 * A client's files go before those on disk, as it knows what isn't saved. What is served here lifts a sandbox no more
 * than a client does: one that only reads gets nothing that writes, and a command is confined by none of them.
 */
export const methodsFor = (
  configured: ConfiguredMethods,
  offer: ClientOffer = NOTHING,
  sandbox?: ResolvedStartRequest['sandbox'],
): ClientMethods => {
  const { readTextFile, writeTextFile, terminal, elicitation } = offer
  const writes = sandbox !== 'read-only'
  const runs = sandbox === undefined || sandbox === 'danger-full-access'
  return {
    read: sourceOf(configured.read, readTextFile),
    write: writes ? sourceOf(configured.write, writeTextFile) : undefined,
    terminal: runs ? sourceOf(configured.terminal, terminal) : undefined,
    elicitation,
  }
}
