/** What of a client's offer is a session's, and which calls are within it: the same for every provider. Pure. */
import { resolve, sep } from 'node:path'
import type { Client, ClientCall, ClientOffer } from '../contract/client.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'

const folder = (path: string): string => {
  const plain = resolve(path)
  return plain.endsWith(sep) ? plain : plain + sep
}

const isBelow = (root: string, path: string): boolean => folder(path).startsWith(folder(root))

/**
 * Files are there for the client's own directories alone. A sandbox is lifted by nobody (law 11): one that only reads
 * gets nothing that writes, and a command at the client is confined by none.
 */
export const offerFor = (
  { offer, roots }: Pick<Client, 'offer' | 'roots'>,
  {
    sandbox,
    cwd,
    additionalDirectories,
  }: Pick<ResolvedStartRequest, 'sandbox' | 'cwd' | 'additionalDirectories'>,
): ClientOffer => {
  const { readTextFile, writeTextFile, terminal, elicitation } = offer
  const known = [cwd, ...additionalDirectories].every((path) => roots.some((root) => isBelow(root, path)))
  return {
    readTextFile: readTextFile && known,
    writeTextFile: writeTextFile && known && sandbox !== 'read-only',
    terminal: terminal && (sandbox === undefined || sandbox === 'danger-full-access'),
    elicitation,
  }
}

export const isOffered = (
  { readTextFile, writeTextFile, terminal, elicitation }: ClientOffer,
  { method, params: { mode } }: Pick<ClientCall, 'method' | 'params'>,
): boolean => {
  switch (method) {
    case 'fs/read_text_file':
      return readTextFile
    case 'fs/write_text_file':
      return writeTextFile
    case 'elicitation/create':
      return (mode === 'form' && elicitation.form) || (mode === 'url' && elicitation.url)
    default:
      return terminal
  }
}
