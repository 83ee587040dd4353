/** What a run's log says of it: its text and what policy denied, as a run that settles by itself has them (law 6). */
import type { PermissionRequested, PermissionResolved, SessionEvent } from '../contract/events.ts'
import type { PermissionId } from '../contract/ids.ts'
import type { Denial } from '../contract/result.ts'
import { advanceOutput, NO_OUTPUT, outputText } from './output.ts'
import { denialOf, Denials } from './denials.ts'
import { ToolCalls } from './tool-calls.ts'

interface Asked {
  readonly question: PermissionRequested
  /** As the call was known when it was asked for. */
  readonly denial: Denial
}

export class RunFold {
  readonly #tools = new ToolCalls()
  readonly #denials = new Denials()
  readonly #asked = new Map<PermissionId, Asked>()
  #output = NO_OUTPUT

  get text(): string {
    return outputText(this.#output)
  }

  get denied(): readonly Denial[] {
    return this.#denials.list
  }

  /** One event of the run further. */
  take(event: SessionEvent): void {
    switch (event.type) {
      case 'session/update':
        this.#output = advanceOutput(this.#output, event.update)
        return this.#tools.note(event.update)
      case 'approval/asked':
      case 'approval/decided':
        return this.#denials.heard(event)
      case 'permission/requested': {
        const denial = denialOf(this.#tools.describe(event.toolCall))
        return void this.#asked.set(event.id, { question: event, denial })
      }
      case 'permission/resolved':
        return this.#resolved(event)
      case 'run/started':
      case 'run/settled':
      case 'notice':
      case 'elicitation/requested':
      case 'elicitation/resolved':
      case 'letter/received':
      case 'session/late_update':
      case 'subagent/update':
      case 'session/native_id':
      case 'permission/preset':
      case 'sandbox/mode':
      case 'approval/policy':
      case 'subagent/descriptor':
    }
  }

  #resolved({ id, outcome, by }: PermissionResolved): void {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (asked === undefined || by !== 'policy') return
    const { options } = asked.question
    const chosen =
      outcome.outcome === 'selected'
        ? options.find(({ optionId }) => optionId === outcome.optionId)
        : undefined
    if (chosen?.kind !== 'allow_once') this.#denials.add(asked.denial)
  }
}
