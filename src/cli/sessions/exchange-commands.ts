/** `sessions export` and `sessions import`: their flags and help; each is loaded when it is called. */
import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { ExportFlags } from './export-command.ts'
import type { ImportFlags } from './import-command.ts'

export const addExchangeCommands = (sessions: Command, io: Io, done: (exitCode: number) => void): void => {
  sessions
    .command('export')
    .description('one as JSON Lines, which stand alone and can be imported again')
    .argument('<session>', "a session's or run's id, a unique beginning of one, or last (the newest here)")
    .option('-o, --output <file>', 'into this file; compressed when its name ends in .zst or .zstd')
    .option('--tree', 'with all that it started')
    .option('--force', 'also over a file that is there')
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(async (session: string, flags: ExportFlags) =>
      done(await (await import('./export-command.ts')).exportCommand(session, flags, io)),
    )
  sessions
    .command('import')
    .description('exported ones, and those of dsh 0.1: all of the files, or nothing')
    .argument('<file...>', 'exports, session files of dsh, or folders of these; plain or zstd')
    .option('--new-ids', 'under ids of their own, beside others that have theirs')
    .option('--json', 'one JSON document (docs/sessions.md)')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (files: string[], flags: ImportFlags) =>
      done(await (await import('./import-command.ts')).importCommand(files, flags, io)),
    )
}

const EXPORT_EXAMPLES = `
Examples:
  subgate sessions export last > session.jsonl
  subgate sessions export ses_3f2a --tree -o tree.jsonl.zst

Exit codes: 0 exported; 2 usage; 4 no such session.
`

const IMPORT_EXAMPLES = `
Examples:
  subgate sessions import tree.jsonl.zst
  subgate sessions import --new-ids session.jsonl
  subgate sessions import path/to/sessions/of/dsh

Exit codes: 0 imported; 1 the database failed; 2 a file is wrong, or an id is taken: nothing was imported.
`
