/** The commands that read what is stored: their flags and help; each is loaded when it is called. */
import type { Command } from 'commander'
import type { Declaring } from './declaring.ts'
import type { Io } from './io.ts'
import type { LogsFlags } from './logs-command.ts'
import type { PsFlags } from './ps-command.ts'
import { addExchangeCommands } from './sessions/exchange-commands.ts'
import type { ListFlags } from './sessions/list-command.ts'
import type { PruneFlags } from './sessions/prune-command.ts'
import type { ShowFlags } from './show-command.ts'

export const READING_COMMANDS: readonly string[] = ['ps', 'show', 'logs', 'sessions']

const WHICH = "a session's or run's id, a unique beginning of one, or last (the newest here)"
const JSON_FLAG = ['--json', 'one JSON document (docs/sessions.md)'] as const

export const addReadingCommands = ({ program, io, done }: Declaring): void => {
  program
    .command('ps')
    .description('what runs now, in every process of yours, and what it does')
    .option('-a, --all', 'also what has ended within the last day')
    .option(...JSON_FLAG)
    .addHelpText('after', PS_EXAMPLES)
    .action(async (flags: PsFlags) => done(await (await import('./ps-command.ts')).psCommand(flags, io)))
  program
    .command('show')
    .description('one session or run: what it was asked, what came out, what it started')
    .argument('<session>', WHICH)
    .option(...JSON_FLAG)
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (session: string, flags: ShowFlags) =>
      done(await (await import('./show-command.ts')).showCommand(session, flags, io)),
    )
  program
    .command('logs')
    .description('the events of a session or run, in words')
    .argument('<session>', WHICH)
    .option('-f, --follow', 'go on with what comes, until the run has settled')
    .option('--after <seq>', 'only events behind this one')
    .option('--json', 'one JSON line an event, as run --output-format stream-json has it')
    .addHelpText('after', LOGS_EXAMPLES)
    .action(async (session: string, flags: LogsFlags) =>
      done(await (await import('./logs-command.ts')).logsCommand(session, flags, io)),
    )
  addSessions(program, io, done)
}

const addSessions = (program: Command, io: Io, done: (exitCode: number) => void): void => {
  const sessions = program
    .command('sessions')
    .description('stored sessions: sessions list, prune, export, import')
    .addHelpText('after', SESSIONS_EXAMPLES)
  sessions
    .command('list', { isDefault: true })
    .description('those that were started in this directory, newest change first')
    .option('-a, --all', 'those of every directory, and those that agents started')
    .option('-C, --cwd <dir>', 'those of another directory')
    .option('-n, --limit <n>', 'at most so many (20)')
    .option(...JSON_FLAG)
    .action(async (flags: ListFlags) =>
      done(await (await import('./sessions/list-command.ts')).listCommand(flags, io)),
    )
  sessions
    .command('prune')
    .description('remove old ones, with what they started; never what runs or is held open')
    .option('--older-than <age>', 'in which nothing changed for so long, such as 12h, 30d, 2w (30d)')
    .option('--keep <n>', 'so many of the newest stay; without --older-than, all others go')
    .option('--dry-run', 'only show them')
    .option('-y, --yes', "don't ask; needed where nobody can answer")
    .option(...JSON_FLAG)
    .action(async (flags: PruneFlags) =>
      done(await (await import('./sessions/prune-command.ts')).pruneCommand(flags, io)),
    )
  addExchangeCommands(sessions, io, done)
}

const PS_EXAMPLES = `
Examples:
  subgate ps                                     what runs; what waits for you stands first
  subgate ps --all --json | jq '.sessions[].title'

States: needs you (a permission waits), running, lost (its process is gone), idle (kept, held by a process),
ready (kept, can be resumed), otherwise how it ended.
`

const SHOW_EXAMPLES = `
Examples:
  subgate show last                              the newest session of this directory
  subgate show ses_3f2a                          a unique beginning is enough
  subgate show last --json | jq -r '.runs[-1].text'

Exit codes: 0 shown; 2 usage, or the beginning of several ids; 4 no such session.
`

const LOGS_EXAMPLES = `
Examples:
  subgate logs last                              what happened, in words
  subgate logs -f ses_3f2a                       and what happens, also in another process
  subgate logs last --json --after 120           one JSON line an event

Exit codes: 0 told; 1 with -f, when the run's process is gone; 2 usage; 4 no such session; 130 Ctrl-C.
`

const SESSIONS_EXAMPLES = `
Examples:
  subgate sessions list                          of this directory
  subgate sessions list --all --limit 100        of all, with those that agents started
  subgate sessions prune --dry-run               what is older than 30 days
  subgate sessions prune --older-than 2w --keep 50 --yes
  subgate sessions export last --tree -o tree.jsonl.zst
  subgate sessions import tree.jsonl.zst         also sessions of dsh 0.1
`
