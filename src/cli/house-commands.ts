/** The commands about what is here: their flags and help; each is loaded when it is called. */
import type { Declaring } from './declaring.ts'

export const HOUSE_COMMANDS: readonly string[] = ['providers', 'presets', 'config', 'trust']

export const addHouseCommands = ({ program, io, done }: Declaring): void => {
  program
    .command('providers')
    .description('what is found here and usable, or why not')
    .option('--json', 'one JSON document')
    .option('--all', 'also every known agent that is not installed')
    .option('--capabilities', 'what each can be asked for')
    .action(async (flags) => done(await (await import('./providers-command.ts')).providersCommand(flags, io)))
  program
    .command('presets')
    .description('the presets that --agent takes, and what each needs')
    .option('--json', 'one JSON document')
    .action(async (flags) => done(await (await import('./presets-command.ts')).presetsCommand(flags, io)))
  program
    .command('config')
    .description('which configuration counts: config show')
    .helpCommand(false)
    .command('show', { isDefault: true })
    .description('each key with its value and layer; secrets are masked')
    .option('--json', 'one JSON document')
    .action(async (flags) => done(await (await import('./config-command.ts')).configShowCommand(flags, io)))
  program
    .command('trust')
    .description("let this project's .subgate/ do more than choose and narrow")
    .option('--remove', 'take it back')
    .option('--list', 'what is trusted')
    .action(async (flags) => done(await (await import('./trust-command.ts')).trustCommand(flags, io)))
}
