/** The flags of `subgate conformance`; what it does is loaded when it is called. */
import { Option } from 'commander'
import { collect } from './choices.ts'
import type { ConformanceFlags } from './conformance-command.ts'
import type { Declaring } from './declaring.ts'

export const addConformanceCommand = ({ program, io, command, done }: Declaring): void => {
  program
    .command('conformance')
    .description('check an ACP agent against the requirements of the protocol')
    .usage('--acp [options] -- <command> [args…]')
    .option('--acp', 'the agent speaks ACP')
    .option('-p, --provider <name>', 'instead of a command: our own face, serving this provider')
    .option('--timeout <duration>', 'limit on each answer: seconds, or 90s, 10m (30s)')
    .option('-C, --cwd <dir>', 'where the agent works (an empty directory that is removed)')
    .option('--env <name[=value]>', 'pass a variable to the agent, or set it (repeatable)', collect)
    .option('--prompt <text>', 'a prompt that it answers')
    .option('--cancel-prompt <text>', 'a prompt that takes long, to be cancelled')
    .option('--files-prompt <text>', 'a prompt that invites it to use files and commands')
    .option('--delegate-prompt <text>', 'a prompt that makes it delegate: its children are checked too')
    .option('--delegate-long-prompt <text>', 'the same, with children that take long')
    .option('--auth-method <id>', 'sign in by this method')
    .option('--allow-logout', 'check logout too')
    .option('--gateway', "it is a gateway that takes an agent's command behind its own")
    .option('-k <words>', 'only what these words fit, such as "load or resume and not 002"')
    .option('--only <id...>', 'only these requirements')
    .option('--reuse', 'for an agent that starts slowly: checks share processes and turns')
    .option('--jobs <n>', 'how many are checked at once (4)')
    .option('--json', 'one JSON document')
    .option('--junit <file>', "also write JUnit's XML")
    .addOption(new Option('--probe-agent').hideHelp())
    .addHelpText('after', CONFORMANCE_EXAMPLES)
    .action(async (flags: ConformanceFlags) =>
      done(await (await import('./conformance-command.ts')).conformanceCommand({ command, flags }, io)),
    )
}

const CONFORMANCE_EXAMPLES = `
Examples:
  subgate conformance --acp -- my-agent --acp          any program that speaks ACP
  subgate conformance --acp --provider spawn           what an editor gets from subgate acp --provider spawn
  subgate conformance --acp --gateway -- subgate acp --  a gateway, with a probe behind it
  subgate conformance --acp -k cancel --json -- my-agent

Exit code 0: conformant, or all that was chosen is in order; else 1. docs/conformance.md lists the requirements.
`
