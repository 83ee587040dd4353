/** How a run is shown: as text, as JSON, or only as its output. */
import { isUpdate } from '../../contract/content.ts'
import type { LogEntry, Notice } from '../../contract/events.ts'
import type { SubagentRun } from '../../contract/run.ts'
import { eventDocument } from '../documents.ts'
import type { ErrorDocument, ResultDocument } from '../documents.ts'
import type { Output } from '../output.ts'
import type { Format } from './arguments.ts'
import { failureLines } from './failure.ts'

export interface Presenter {
  event(run: SubagentRun, entry: LogEntry): void
  result(document: ResultDocument): void
  /** The start was rejected. */
  error(document: ErrorDocument): void
}

export interface PresenterOptions {
  readonly stdout: Output
  /** Answer text; goes to stdout by way of the live view on a terminal. */
  readonly text: (chunk: string) => void
  readonly say: (line: string) => void
}

const notice = ({ title, detail }: Notice): string => (detail === undefined ? title : `${title} ${detail}`)

/** Streams the root's messages as they come; messages are kept apart by a blank line. */
const textPresenter = ({ text, say }: PresenterOptions): Presenter => {
  let root: string | undefined
  let messageId: string | null | undefined
  let broken = false
  let last = ''
  return {
    event: (run, { event }) => {
      root ??= run.id
      if (event.type === 'notice') say(notice(event))
      if (run.id !== root || event.type !== 'session/update') return
      const { update } = event
      if (!isUpdate(update, 'agent_message_chunk')) {
        broken ||= isUpdate(update, 'tool_call') || isUpdate(update, 'agent_thought_chunk')
        return
      }
      if (update.content?.type !== 'text') return
      const next = broken || (messageId !== undefined && messageId !== (update.messageId ?? null))
      messageId = update.messageId ?? null
      broken = false
      if (next && last !== '') text(last.endsWith('\n') ? '\n' : '\n\n')
      last = update.content.text === '' ? last : update.content.text
      text(update.content.text)
    },
    result: (document) => {
      if (last !== '' && !last.endsWith('\n')) text('\n')
      for (const line of failureLines(document)) say(line)
    },
    error: ({ error }) => say(error.message),
  }
}

const quietPresenter = ({ stdout, say }: PresenterOptions): Presenter => ({
  event: () => {},
  result: (document) => {
    const { text: answer, structured } = document
    if (structured !== undefined) stdout.json(structured as object)
    else if (answer !== '') stdout.write(answer.endsWith('\n') ? answer : `${answer}\n`)
    for (const line of failureLines(document)) say(line)
  },
  error: ({ error }) => say(error.message),
})

const jsonPresenter = ({ stdout, say }: PresenterOptions, stream: boolean): Presenter => ({
  event: (run, entry) => {
    if (stream) stdout.json(eventDocument(run.id, run.sessionId, entry))
    else if (entry.event.type === 'notice') say(notice(entry.event))
  },
  result: (document) => stdout.json(document),
  error: (document) => stdout.json(document),
})

export const presenterFor = (format: Format, options: PresenterOptions): Presenter => {
  switch (format) {
    case 'text':
      return textPresenter(options)
    case 'quiet':
      return quietPresenter(options)
    case 'json':
      return jsonPresenter(options, false)
    case 'stream-json':
      return jsonPresenter(options, true)
  }
}
