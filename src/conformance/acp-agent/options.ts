/** What a caller may choose about the checks, and what holds where nothing was chosen. Pure. */
import type { StartAgent } from './link.ts'

export interface CheckTexts {
  /** A prompt that is answered. */
  readonly hello: string
  /** One whose turn lasts until it is cancelled, or for some seconds. */
  readonly cancel: string
  /** One that invites the agent to touch files and to run something. */
  readonly files: string
  /** One that makes the agent delegate. */
  readonly delegate?: string
  /** The same, with children that run until they are cancelled, or for some seconds. */
  readonly delegateLong?: string
}

export interface CheckOptions {
  /** Starts one agent process; called for each requirement. */
  readonly start: StartAgent
  /** Absolute; the directory of the sessions. */
  readonly cwd: string
  /** Limit on each answer; 30 s when absent. */
  readonly timeoutMs?: number
  /** Limit on the answer to initialize; 60 s when absent, or `timeoutMs` where that is more. */
  readonly startupMs?: number
  /** After so long without a message nothing more is expected. */
  readonly quietMs?: number
  /** A turn is cancelled at its first update, or after so long; 0.5 s when absent. */
  readonly firstUpdateMs?: number
  /** Within which an agent ends after its input was closed; 2 s when absent. */
  readonly closeGraceMs?: number
  readonly texts?: Partial<CheckTexts>
  readonly authMethod?: string
  readonly allowLogout?: boolean
  /** The agent is a gateway that was put before the probe agent (`probe-agent.ts`). */
  readonly behind?: boolean
  /** A name and value that `start` put into the agent's environment. */
  readonly planted?: { readonly name: string; readonly value: string }
  /** How many requirements are checked at once; 4 when absent. */
  readonly jobs?: number
  /** For an agent that takes long to start: checks share processes, and turns that several of them need. */
  readonly reuse?: boolean
  /** Which requirements are checked; all when absent. */
  readonly chosen?: (requirement: { readonly id: string; readonly title: string }) => boolean
  readonly signal?: AbortSignal
}

export interface Settings extends Required<
  Pick<
    CheckOptions,
    | 'cwd'
    | 'timeoutMs'
    | 'startupMs'
    | 'quietMs'
    | 'firstUpdateMs'
    | 'closeGraceMs'
    | 'allowLogout'
    | 'behind'
    | 'jobs'
    | 'reuse'
  >
> {
  readonly texts: CheckTexts
  readonly authMethod?: string
  readonly planted?: { readonly name: string; readonly value: string }
}

const TEXTS: CheckTexts = {
  hello: 'hello',
  cancel: 'Count from 1 to 500 in words, one number a line, and explain each of them in a sentence.',
  files:
    'Read the file notes.txt in your working directory, run `ls` there, and write a file summary.txt with what you found. Ask me if anything is unclear.',
}

export const settingsOf = (options: CheckOptions): Settings => {
  const { cwd, timeoutMs = 30_000, authMethod, planted } = options
  // The probe waits by a word of its own.
  const texts = { ...TEXTS, ...(options.behind === true && { cancel: 'wait' }), ...options.texts }
  return {
    cwd,
    timeoutMs,
    startupMs: options.startupMs ?? Math.max(60_000, timeoutMs),
    quietMs: options.quietMs ?? Math.max(500, Math.min(2000, timeoutMs / 10)),
    firstUpdateMs: options.firstUpdateMs ?? 500,
    closeGraceMs: options.closeGraceMs ?? 2000,
    allowLogout: options.allowLogout ?? false,
    behind: options.behind ?? false,
    jobs: options.jobs ?? 4,
    reuse: options.reuse ?? false,
    texts,
    ...(authMethod !== undefined && { authMethod }),
    ...(planted !== undefined && { planted }),
  }
}
