/** The person at the terminal: live lines while runs go on, and answers to permission requests. */
import type { LogEntry } from '../../contract/events.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Io } from '../io.ts'
import { abilitiesOf } from '../terminal/abilities.ts'
import { nextDoing, STARTING } from '../terminal/doing.ts'
import type { Doing } from '../terminal/doing.ts'
import { LiveView } from '../terminal/live-view.ts'
import { PermissionPrompt } from '../terminal/permission-prompt.ts'

export class TerminalSession {
  readonly #io: Io
  readonly #view: LiveView
  readonly #doing = new Map<string, { readonly path: string; readonly startedAt: number; doing: Doing }>()
  readonly #withdrawn = new Map<string, AbortController>()
  #prompt: PermissionPrompt | undefined

  constructor(io: Io) {
    this.#io = io
    const abilities = abilitiesOf(io.stderr, io.env)
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
    this.#show('start', provider, STARTING, Date.now())
  }

  started(): void {
    this.#view.update('start', undefined)
  }

  event(run: SubagentRun, entry: LogEntry): void {
    const { event } = entry
    const known = this.#doing.get(run.id) ?? {
      path: run.label ?? run.provider,
      startedAt: entry.at,
      doing: STARTING,
    }
    const doing = nextDoing(known.doing, entry)
    if (event.type === 'run/settled') {
      this.#doing.delete(run.id)
      this.#view.update(run.id, undefined)
    } else if (doing !== known.doing || !this.#doing.has(run.id)) {
      this.#doing.set(run.id, { ...known, doing })
      this.#show(run.id, known.path, doing, known.startedAt)
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
    this.#io.stdin.pause()
  }

  #show(id: string, path: string, { doing, needsYou }: Doing, startedAt: number): void {
    this.#view.update(id, { path, doing, startedAt, needsYou })
  }

  /** Policy may have answered by the time that the question is read: its resolution follows at once. */
  #ask(run: SubagentRun, question: Extract<LogEntry['event'], { type: 'permission/requested' }>): void {
    const withdrawal = new AbortController()
    this.#withdrawn.set(question.id, withdrawal)
    this.#prompt ??= new PermissionPrompt({ input: this.#io.stdin, output: this.#io.stderr })
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
