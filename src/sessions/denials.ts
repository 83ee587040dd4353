/** What policy denied in one run, with what would have allowed it (B10.3). */
import type { ToolKind } from '../contract/content.ts'
import type { ApprovalAsked, ProviderEvent } from '../contract/events.ts'
import type { Denial } from '../contract/result.ts'

const READS: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search'])

export const isRead = (kind: ToolKind): boolean => READS.has(kind)

/** The flag that would have allowed a denied call. */
export const allowingFlag = (kind: ToolKind): string =>
  isRead(kind) ? '--permission allow-reads' : '--permission allow'

/** How a result tells of a call that policy denied. */
export const denialOf = ({ title, kind }: Omit<Denial, 'flag'>): Denial => ({
  title,
  kind,
  flag: allowingFlag(kind),
})

/** Of a question that nothing a person types would have answered otherwise. */
const NOTHING = 'nothing'

export class Denials {
  readonly list: Denial[] = []
  readonly #asked = new Map<string, ApprovalAsked>()

  add(denial: Denial): void {
    this.list.push(denial)
  }

  /** Where an agent's approvals are pinned nobody is asked, so that only its events tell of it (B4.1). */
  heard(event: ProviderEvent): void {
    if (event.type === 'approval/asked') this.#asked.set(event.id, event)
    if (event.type !== 'approval/decided') return
    const asked = this.#asked.get(event.id)
    this.#asked.delete(event.id)
    if (asked === undefined || event.by !== 'policy' || event.decision !== 'rejected') return
    const { title, kind, flag = NOTHING } = asked
    this.add({ title, kind, flag })
  }
}
