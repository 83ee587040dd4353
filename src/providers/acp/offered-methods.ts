/** Which of a client's methods a session's agent is offered, and who serves each. Pure. */
import type { ClientOffer, SessionClient } from '../../contract/client.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { isWithin } from '../../process/confine.ts'

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
 * A client's files go before those on disk, as it knows what isn't saved; they are there for its own directories alone.
 * Neither lifts a sandbox: one that only reads gets nothing that writes, and a command is confined by none of them.
 */
export const methodsFor = (
  configured: ConfiguredMethods,
  client: Pick<SessionClient, 'offer' | 'roots'> | undefined,
  {
    sandbox,
    cwd,
    additionalDirectories,
  }: Pick<ResolvedStartRequest, 'sandbox' | 'cwd' | 'additionalDirectories'>,
): ClientMethods => {
  const { offer = NOTHING, roots = [] } = client ?? {}
  const known = [cwd, ...additionalDirectories].every((path) => roots.some((root) => isWithin(root, path)))
  const writes = sandbox !== 'read-only'
  const runs = sandbox === undefined || sandbox === 'danger-full-access'
  return {
    read: sourceOf(configured.read, known && offer.readTextFile),
    write: writes ? sourceOf(configured.write, known && offer.writeTextFile) : undefined,
    terminal: runs ? sourceOf(configured.terminal, offer.terminal) : undefined,
    elicitation: offer.elicitation,
  }
}
