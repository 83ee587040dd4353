/** `subgate run`: its flags and help; what it does is loaded when it is called. */
import { Option } from 'commander'
import type { Command } from 'commander'
import { collect, PERMISSION_POLICIES, SANDBOX_MODES } from './choices.ts'
import type { Declaring } from './declaring.ts'
import { RUN_EXAMPLES } from './examples.ts'
import { FORMATS } from './run/arguments.ts'
import type { RunFlags } from './run/arguments.ts'

const runOptions = (command: Command): Command =>
  command
    .argument('[words...]', "a provider's name, then the prompt; or all of it the prompt")
    .option('-p, --provider <name>', 'the provider, whatever the first word is')
    .option('-f, --file <file>', 'read the prompt from a file; - is standard input')
    .addOption(new Option('--output-format <format>', 'what stdout gets; text unless given').choices(FORMATS))
    .addOption(new Option('--format <format>').choices(FORMATS).hideHelp())
    .option('--json', 'the same as --output-format json')
    .option('-C, --cwd <dir>', 'where the agent works')
    .option('--add-dir <dir>', 'a further directory for the agent (repeatable)', collect)
    .option('--timeout <duration>', 'limit on the whole run: seconds, or 90s, 10m, 1h; 0 = none')
    .option('--idle-timeout <duration>', 'limit on silence; 0 = none (10m unless configured)')
    .option('--max-depth <n>', 'how deep the agent may delegate; 0 = not at all')
    .option('--agent <name|file>', 'a preset: instructions, tools, model and sandbox of the agent')
    .option('--model <name>', 'the model that the agent runs on')
    .option('--effort <level>', 'how hard its model thinks, in its own words, such as low or high')
    .option('--max-turns <n>', 'limit on calls of the model')
    .option('--max-tokens <n>', 'limit on tokens')
    .option('--max-cost <usd>', 'limit on the cost, in US dollars')
    .addOption(new Option('--max-budget-usd <usd>').hideHelp())
    .option('--mcp-config <file>', 'MCP servers in place of the configured ones: a file, or JSON')
    .option('--image <file>', 'an image that goes with the prompt (repeatable)', collect)
    .option('--attach <file>', 'a text or a sound that goes with the prompt (repeatable)', collect)
    .addOption(new Option('--sandbox <mode>', "what the agent's tools can reach").choices(SANDBOX_MODES))
    .addOption(
      new Option(
        '--permission <policy>',
        "who answers the agent's questions (ask on a terminal, else allow-reads)",
      ).choices(PERMISSION_POLICIES),
    )
    .addOption(
      new Option('--on-denied <action>', 'exit 5 or 0 when policy denied something')
        .choices(['fail', 'continue'])
        .default('fail'),
    )
    .option('--json-schema <schema>', 'a JSON schema for the answer: JSON, or a file')
    .option('--output-schema <schema>', 'the same as --json-schema')
    .option('--env <name[=value]>', 'pass a variable to the agent, or set it (repeatable)', collect)
    .option('--label <text>', 'a name for the run')
    .option('--resume <session>', "go on with a session: its id or a run's, a unique prefix, or last")
    .option('-s, --session <name>', 'go on with the kept session of this name here, or make it')
    .option('--fork', 'with --resume or -s: work on a copy of it')
    .option('--idempotency-key <key>', 'the same key again gives the run that it gave before')
    .option('--verbose', 'log to stderr')

export const addRunCommand = ({ program, io, command, done }: Declaring): void => {
  runOptions(
    program
      .command('run')
      .description('run a task on an agent: run <provider> "…", or run "…" -- <command>')
      .usage('[options] <provider> <prompt…>  |  run [options] <prompt…> -- <command> [args…]')
      .addHelpText('after', RUN_EXAMPLES),
  ).action(
    async (
      words: readonly string[],
      { format, ...flags }: RunFlags & { format?: RunFlags['outputFormat'] },
    ) => {
      const { runCommand } = await import('./run/run-command.ts')
      const chosen = format === undefined ? flags : { ...flags, outputFormat: format }
      done(await runCommand({ words, command, flags: chosen }, io))
    },
  )
}
