/** How `show` looks: the session's facts, its relatives, its runs. Pure. */
import { errorHints } from '../run/failure.ts'
import type { Style } from '../terminal/abilities.ts'
import { fit } from '../terminal/fit.ts'
import { harmless, plain } from '../terminal/sanitize.ts'
import type { Activity } from './activity.ts'
import { paint } from './paint.ts'
import type { RunRecord } from './run-record.ts'
import { stateWords } from './state.ts'
import type { SessionSummary } from './summary.ts'
import { firstLine } from './summary.ts'
import { age, dated, stateColor, took, usageWords } from './words.ts'
import { wrap } from './wrap.ts'

export interface Shown {
  readonly session: SessionSummary & { readonly nativeId?: string; readonly activity?: Activity }
  readonly parent?: SessionSummary
  readonly children: readonly SessionSummary[]
  /** Oldest first; the last one is shown whole. */
  readonly runs: readonly RunRecord[]
}

export interface ShowLook {
  readonly width?: number | undefined
  readonly style: Style
  readonly now: number
}

const INDENT = '  '

export const showText = (shown: Shown, look: ShowLook): string => {
  const { session, parent, children, runs } = shown
  const { now } = look
  const head = (name: string, value: string | undefined): readonly string[] =>
    value === undefined || value === '' ? [] : [fitted(`${name.padEnd(10)}${plain(value)}`, look)]
  const doing = session.activity === undefined ? '' : `: ${session.activity.doing}`
  const facts = [
    ...head('Session', session.sessionId),
    ...head('Title', session.title),
    ...head('Provider', `${session.provider}${session.depth > 0 ? ` (depth ${session.depth})` : ''}`),
    ...head('State', `${stateWords(session.state)}${doing}`),
    ...head('Directory', session.cwd),
    ...head('Created', `${dated(session.createdAt)} (${age(now - session.createdAt)} ago)`),
    ...head('Changed', `${dated(session.changedAt)} (${age(now - session.changedAt)} ago)`),
    ...head('Held by', session.pid === undefined ? undefined : `process ${session.pid}`),
    ...head('Agent id', session.nativeId === session.sessionId ? undefined : session.nativeId),
    ...head('Parent', parent === undefined ? session.parentSessionId : relative(parent)),
    ...children.flatMap((child, index) => head(index === 0 ? 'Children' : '', relative(child))),
  ]
  const last = runs.at(-1)
  const earlier = runs
    .slice(0, -1)
    .map((run) => fitted(`${runWords(run)}  ${plain(firstLine(run.prompt))}`, look))
  const parts = [facts, earlier, last === undefined ? [] : wholeRun(last, session.cwd, look)]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.map((each) => `${each}\n`).join(''))
    .join('\n')
}

const relative = ({ sessionId, state, provider, title }: SessionSummary): string =>
  `${sessionId} ${stateWords(state)} ${provider} ${title}`

const runWords = ({ runId, status, durationMs }: RunRecord): string =>
  status === undefined
    ? `${runId} open`
    : `${runId} ${status.replace('_', ' ')} after ${took(durationMs ?? 0)}`

const wholeRun = (run: RunRecord, cwd: string, look: ShowLook): readonly string[] => {
  const { prompt, text, structured, denied, error, usage, files, category } = run
  const { style } = look
  const title = fitted(
    [runWords(run), category && `(${category})`, usage && `· ${usageWords(usage)}`].filter(Boolean).join(' '),
    look,
  )
  const part = (name: string, body: string): readonly string[] =>
    body.trim() === '' ? [] : [paint(name, 'bold', style), ...block(body, look)]
  const hints = error === undefined ? [] : [error.message, ...errorHints(error)]
  return [
    paint(title, stateColor(run.status?.replace('_', ' ') ?? 'running'), style),
    ...part('Asked', prompt),
    ...part(run.status === undefined ? 'Answer so far' : 'Answer', text),
    ...part('Value', structured === undefined ? '' : JSON.stringify(structured, undefined, 2)),
    ...part('Denied', denied.map(({ title: call, flag }) => `${call} (${flag} would allow it)`).join('\n')),
    ...part('Error', hints.join('\n')),
    ...part('Changed files', files.map(({ path, kind }) => `${below(cwd, path)} (${kind})`).join('\n')),
  ]
}

const below = (cwd: string, path: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path

/** Foreign text, indented, in lines that fit. */
const block = (text: string, { width }: ShowLook): readonly string[] =>
  harmless(text)
    .replaceAll('\t', '  ')
    .trimEnd()
    .split('\n')
    .flatMap((line) => (width === undefined ? [line] : wrap(line, Math.max(width - 1 - INDENT.length, 8))))
    .map((line) => `${INDENT}${line}`.trimEnd())

const fitted = (text: string, { width, style }: ShowLook): string =>
  width === undefined ? text : fit(text, width - 1, style.unicode ? '…' : '~')
