/** One agent below a chat: a session of ours, one that another process writes, or one that an agent runs itself. */
import { randomUUID } from 'node:crypto'
import type { SessionId } from '../../contract/ids.ts'

export interface ChildFacts {
  readonly key: string
  /** The session whose log tells of it. */
  readonly sessionId: SessionId
  /** The id that its agent gave it, which runs it by itself. */
  readonly childId?: string
  /** Absent: the chat's own agent. */
  readonly parent: Child | undefined
  /** The agent, as people know it. */
  readonly agent: string
  readonly label: string | undefined
  readonly description: string | undefined
  readonly cwd?: string | undefined
  /** The tool call of its parent that started it. */
  readonly toolCallId?: string | undefined
  /** Absent: it is told of as it was, and can't be stopped any longer. */
  readonly cancel?: (() => void) | undefined
}

export class Child {
  readonly facts: ChildFacts
  /** Its id for the editor, of this connection alone. */
  readonly wireId: string = `sub_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  /** Questions that wait for an answer. */
  readonly open: Set<string> = new Set()
  cancel: (() => void) | undefined
  /** Its agent, which runs it by itself, has said that it stopped. */
  idle = false

  constructor(facts: ChildFacts) {
    this.facts = facts
    this.cancel = facts.cancel
  }

  get parent(): Child | undefined {
    return this.facts.parent
  }

  /** The one that the chat's own agent started. */
  get top(): Child {
    return this.parent?.top ?? this
  }

  isWithin(other: Child): boolean {
    return this === other || this.parent?.isWithin(other) === true
  }

  get name(): string {
    return this.facts.label ?? this.facts.agent
  }

  /** `Codex: count files`. */
  get title(): string {
    const { agent, label } = this.facts
    return label === undefined || label === agent ? agent : `${agent}: ${label}`
  }

  /** Names from below the chat's own agent down to it. */
  get path(): readonly string[] {
    return [...(this.parent?.path ?? []), this.name]
  }
}
