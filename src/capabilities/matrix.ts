/** The capability matrix of a set of providers, as data and as a Markdown table. */
import type { CapabilityId, Support } from '../contract/capabilities.ts'
import { CAPABILITY_IDS, CATALOG } from './catalog.ts'
import type { Subject } from './gate.ts'

export interface MatrixSubject extends Subject {
  readonly negotiated: readonly CapabilityId[]
}

export interface MatrixRow {
  readonly id: CapabilityId
  readonly title: string
  readonly support: Readonly<Record<string, { readonly support: Support; readonly negotiated: boolean }>>
}

export const matrix = (subjects: readonly MatrixSubject[]): readonly MatrixRow[] =>
  CAPABILITY_IDS.map((id) => ({
    id,
    title: CATALOG[id].title,
    support: Object.fromEntries(
      subjects.map(({ name, capabilities, negotiated }) => [
        name,
        { support: capabilities[id], negotiated: negotiated.includes(id) },
      ]),
    ),
  }))

/** `*` marks a row that the agent's handshake may still lower. */
export const matrixMarkdown = (subjects: readonly MatrixSubject[]): string => {
  const head = ['Capability', ...subjects.map(({ name }) => `\`${name}\``)]
  const rows = matrix(subjects).map(({ id, title, support }) => [
    `${title} (\`${id}\`)`,
    ...Object.values(support).map(
      (cell) => cell.support + (cell.negotiated && cell.support !== 'none' ? ' \\*' : ''),
    ),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
