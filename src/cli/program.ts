/** The program: which commands there are, and which of them a command line needs. */
import { Command } from 'commander'
import { VERSION } from '../version.ts'
import { addAcpCommand } from './acp-options.ts'
import { addConformanceCommand } from './conformance-options.ts'
import type { Declaring } from './declaring.ts'
import { addEditorCommands, EDITOR_COMMANDS } from './editor-commands.ts'
import { EXAMPLES } from './examples.ts'
import { addHouseCommands, HOUSE_COMMANDS } from './house-commands.ts'
import { addReadingCommands, READING_COMMANDS } from './reading-commands.ts'
import { addRunCommand } from './run-options.ts'
import { commandAt, unknownCommand } from './usage.ts'

interface Group {
  readonly names: readonly string[]
  readonly add: (declaring: Declaring) => void
}

/** In the order of the help. */
const GROUPS: readonly Group[] = [
  { names: ['run'], add: addRunCommand },
  { names: ['acp'], add: addAcpCommand },
  { names: EDITOR_COMMANDS, add: addEditorCommands },
  { names: READING_COMMANDS, add: addReadingCommands },
  { names: HOUSE_COMMANDS, add: addHouseCommands },
  { names: ['conformance'], add: addConformanceCommand },
]

export const COMMANDS: readonly string[] = [...GROUPS.flatMap(({ names }) => names), 'help']

/** Declares the command that is named, or all of them: each takes its time, and a start needs one. */
export const buildProgram = (
  named: string | undefined,
  { io, command, done }: Omit<Declaring, 'program'>,
): Command => {
  const program = new Command('subgate')
    .description('Runs a task on any coding agent; every control is enforced or refused by name.')
    .usage('[command] [options]')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => {} })
    .addHelpText('after', EXAMPLES)
    .helpCommand(false)
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      if (command !== undefined || words.length > 0) throw unknownCommand(words, COMMANDS)
      done(await (await import('./home-command.ts')).homeCommand(io))
    })
  const declaring = { program, io, command, done }
  const needed = GROUPS.filter(({ names }) => named !== undefined && names.includes(named))
  for (const { add } of needed.length > 0 ? needed : GROUPS) add(declaring)
  program
    .command('help')
    .description('the help of a command')
    .argument('[command...]')
    .action((words: readonly string[]) => commandAt(program, words).outputHelp())
  return program
}
