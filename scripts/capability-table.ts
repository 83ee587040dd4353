/** The README's capability table, from the catalogue and the rows that each kind of provider declares. */
import { CAPABILITY_IDS, CATALOG } from '../src/capabilities/catalog.ts'
import { matrixMarkdown } from '../src/capabilities/matrix.ts'
import { claims } from '../src/capabilities/rows.ts'
import { declaredRows, NEGOTIATED } from '../src/providers/acp/handshake.ts'

const subjects = [
  {
    name: 'known ACP agent',
    capabilities: declaredRows(true),
    negotiated: [...NEGOTIATED, 'permissions' as const],
  },
  { name: 'any ACP command', capabilities: declaredRows(false), negotiated: NEGOTIATED },
  { name: 'function', capabilities: claims(), negotiated: [] },
]

export const capabilityTable = (): string => {
  const flags = CAPABILITY_IDS.flatMap((id) => {
    const { flag } = CATALOG[id]
    return flag === undefined ? [] : [`\`${id}\` by \`${flag}\``]
  })
  return `${matrixMarkdown(subjects)}\n\nAsked for on the command line: ${flags.join(', ')}.`
}
