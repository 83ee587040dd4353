/** The commands around editors: their flags and help; each is loaded when it is called. */
import { SubagentError } from '../contract/errors.ts'
import type { AcpInvocation } from './acp-command.ts'
import type { Declaring } from './declaring.ts'
import type { InitFlags } from './init/init-command.ts'
import type { Io } from './io.ts'

export const EDITOR_COMMANDS: readonly string[] = ['init', 'login']

export const addEditorCommands = ({ program, io, done }: Declaring): void => {
  program
    .command('init')
    .description("write Subgate into an editor's configuration: zed, jetbrains or neovim")
    .argument('[editor]', 'without it, each editor that is found here')
    .option('-p, --provider <name>', 'the provider that is served')
    .option('--name <name>', 'what the editor shows', 'Subgate')
    .option('-y, --yes', "don't ask; needed where nobody can answer")
    .option('--print', 'only print the entry')
    .addHelpText('after', INIT_EXAMPLES)
    .action(async (editor: string | undefined, flags: InitFlags) =>
      done(await (await import('./init/init-command.ts')).initCommand(editor, flags, io)),
    )
  program
    .command('login')
    .description("sign in to an agent, with the agent's own program")
    .argument('[provider]', 'asked for where several are here')
    .action(async (provider: string | undefined) =>
      done(await (await import('./login-command.ts')).loginCommand(provider, io)),
    )
}

/** `subgate acp`; with `login` behind it, as an editor adds it to the command that it was configured with, the sign-in. */
export const serveOrSignIn = async (
  invocation: AcpInvocation,
  words: readonly string[],
  io: Io,
): Promise<number> => {
  const [verb, provider = invocation.flags.provider, ...more] = words
  if (verb === undefined) return (await import('./acp-command.ts')).acpCommand(invocation, io)
  if (verb === 'login' && more.length === 0)
    return (await import('./login-command.ts')).loginCommand(provider, io)
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `subgate acp takes no "${words.join(' ')}". Type: subgate acp --provider <name>, or subgate acp -- <command> [args…]`,
    {},
  )
}

const INIT_EXAMPLES = `
Examples:
  subgate init                                   shows the change for each editor here, and asks
  subgate init zed --yes                         writes it
  subgate init jetbrains --print                 only the entry

Exit codes: 0 written, left as it was, or nothing to do; 2 usage, or a file that can't be changed safely.
`
