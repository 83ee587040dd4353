/** The person at the terminal: live lines while runs go on, and answers to permission requests. */
import type { LogEntry } from '../../contract/events.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Io } from '../io.ts'
import { abilitiesOf } from '../terminal/abilities.ts'
import type { Abilities } from '../terminal/abilities.ts'
import { nextDoing, STARTING } from '../terminal/doing.ts'
import type { Doing } from '../terminal/doing.ts'
import { LiveView } from '../terminal/live-view.ts'
import type { LiveLine } from '../terminal/status-line.ts'
import { PermissionPrompt } from '../terminal/permission-prompt.ts'
import { RunTree } from '../terminal/run-tree.ts'

type Shown = Pick<LiveLine, 'path' | 'startedAt' | 'under'>

export class TerminalSession {
  readonly #io: Io
  readonly #view: LiveView
  readonly #abilities: Abilities
  readonly #tree: RunTree
  readonly #doing = new Map<string, { readonly line: Shown; doing: Doing }>()
  readonly #withdrawn = new Map<string, AbortController>()
  #prompt: PermissionPrompt | undefined

  /** `titleOf` is what people are told of a provider. */
  constructor(io: Io, titleOf: (provider: string) => string) {
    this.#io = io
    this.#tree = new RunTree(titleOf)
    const abilities = abilitiesOf(io.stderr, io.env)
    this.#abilities = abilities
    this.#view = new LiveView({
      stream: io.stderr,
      answers: io.stdout,
      now: Date.now,
      timers: globalThis,
      enabled: abilities.live,
      style: abilities,
    })
  }

  starting(provider: string): void {
    this.#show(
      'start',
      { path: this.#tree.nameOf({ provider, label: undefined }), startedAt: Date.now() },
      STARTING,
    )
  }

  started(): void {
    this.#view.update('start', undefined)
  }

  event(run: SubagentRun, entry: LogEntry): void {
    const { event } = entry
    // What belongs to a session and to no run is nothing that a run does now.
    if (entry.runId === undefined) return
    this.#tree.take(run, entry)
    const under = this.#tree.above(run)
    const known = this.#doing.get(run.id) ?? {
      line: { path: this.#tree.nameOf(run), startedAt: entry.at, ...(under !== undefined && { under }) },
      doing: STARTING,
    }
    const doing = nextDoing(known.doing, entry)
    if (event.type === 'run/settled') {
      this.#doing.delete(run.id)
      this.#view.update(run.id, undefined)
    } else if (doing !== known.doing || !this.#doing.has(run.id)) {
      this.#doing.set(run.id, { ...known, doing })
      this.#show(run.id, known.line, doing)
    }
    if (event.type === 'permission/resolved') this.#withdrawn.get(event.id)?.abort()
    if (event.type === 'permission/requested') this.#ask(run, event)
  }

  text(chunk: string): void {
    this.#view.text(chunk)
  }

  note(line: string): void {
    this.#view.note(line)
  }

  close(): void {
    this.#view.close()
    this.#io.stdin().pause()
  }

  /** The whole tree at its end, where anyone delegated. */
  tree(): void {
    const { stderr } = this.#io
    if (stderr.isTTY)
      for (const line of this.#tree.lines(stderr.columns || 80, this.#abilities)) this.note(line)
  }

  #show(id: string, line: Shown, { doing, needsYou }: Doing): void {
    this.#view.update(id, { ...line, doing, needsYou })
  }

  /** Policy may have answered by the time that the question is read: its resolution follows at once. */
  #ask(run: SubagentRun, question: Extract<LogEntry['event'], { type: 'permission/requested' }>): void {
    const withdrawal = new AbortController()
    this.#withdrawn.set(question.id, withdrawal)
    this.#prompt ??= new PermissionPrompt({ input: this.#io.stdin(), output: this.#io.stderr })
    const prompt = this.#prompt
    setImmediate(() => {
      if (withdrawal.signal.aborted) return
      void this.#view
        .question(() => prompt.ask(question, withdrawal.signal))
        .then((outcome) => run.respond(question.id, outcome))
        .finally(() => this.#withdrawn.delete(question.id))
    })
  }
}
