/** The CLI's entry: reads the command line, and loads only what the command needs. */
import { Command, CommanderError, Option } from 'commander'
import { SubagentError } from '../contract/errors.ts'
import { closest } from '../contract/parse.ts'
import { VERSION } from '../version.ts'
import { addConformanceCommand } from './conformance-options.ts'
import { asSubagentError, errorDocument } from './documents.ts'
import { EXAMPLES, RUN_EXAMPLES } from './examples.ts'
import type { AcpFlags } from './acp-command.ts'
import { addEditorCommands, EDITOR_COMMANDS, serveOrSignIn } from './editor-commands.ts'
import type { Io } from './io.ts'
import { Output } from './output.ts'
import { addReadingCommands, READING_COMMANDS } from './reading-commands.ts'
import { FORMATS } from './run/arguments.ts'
import type { RunFlags } from './run/arguments.ts'

const COMMANDS: readonly string[] = [
  'run',
  'acp',
  ...EDITOR_COMMANDS,
  ...READING_COMMANDS,
  'providers',
  'presets',
  'config',
  'trust',
  'conformance',
  'help',
]
const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const
const PERMISSION_POLICIES = ['ask', 'allow-reads', 'allow', 'deny'] as const

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** All before `--` is for us, all behind it is the agent's command line. */
const splitAtDashes = (
  argv: readonly string[],
): { own: readonly string[]; command: readonly string[] | undefined } => {
  const at = argv.indexOf('--')
  return at < 0 ? { own: argv, command: undefined } : { own: argv.slice(0, at), command: argv.slice(at + 1) }
}

const wantsJson = (own: readonly string[]): boolean =>
  own.some(
    (word, index) =>
      word === '--json' ||
      /^--(?:output-)?format=(?:stream-)?json$/u.test(word) ||
      (/^--(?:output-)?format$/u.test(word) && /^(?:stream-)?json$/u.test(own[index + 1] ?? '')),
  )

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

const acpOptions = (command: Command): Command =>
  command
    .option('-p, --provider <name>', 'the provider that is served')
    .option('--agent <name|file>', 'a preset: instructions, tools, model and sandbox of the agent')
    .option('--model <name>', 'the model that its agent runs on')
    .option('--effort <level>', 'how hard its model thinks, in its own words, such as low or high')
    .option('--max-turns <n>', 'limit on calls of the model, for each prompt')
    .option('--max-tokens <n>', 'limit on tokens, for each prompt')
    .option('--max-cost <usd>', 'limit on the cost of each prompt, in US dollars')
    .option('--timeout <duration>', 'limit on each prompt: seconds, or 90s, 10m, 1h; 0 = none')
    .option('--idle-timeout <duration>', 'limit on silence; 0 = none (10m unless configured)')
    .addOption(new Option('--sandbox <mode>', "what the agent's tools can reach").choices(SANDBOX_MODES))
    .addOption(
      new Option('--permission <policy>', "who answers the agent's questions (ask: the editor)").choices(
        PERMISSION_POLICIES,
      ),
    )
    .option('--max-depth <n>', 'how deep the agent may delegate; 0 = not at all')
    .option('--env <name[=value]>', 'pass a variable to the agent, or set it (repeatable)', collect)
    .option('--verbose', 'log to stderr')

const usage = (message: string, data: { suggestion?: string } = {}): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, data)

/** What is wrong with the command line, as one sentence in our form. */
const usageError = ({ message }: CommanderError, help: string): SubagentError => {
  const [, suggestion] = /\(Did you mean (?:one of )?(.+?)\?\)/su.exec(message) ?? []
  const plain = message
    .replace(/^error: /u, '')
    .replace(/\s*\(Did you mean .*/su, '')
    .replace(/\.$/u, '')
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
  const sentence = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.${hint} See: ${help}`
  return usage(sentence, suggestion === undefined ? {} : { suggestion })
}

/** Nothing that starts with a word of its own is taken for a task: a typing error must not reach an agent. */
const unknownCommand = (words: readonly string[]): SubagentError => {
  const [word] = words
  if (word === undefined)
    return usage('Before -- stands no command. Type: subgate run "…" -- <command> [args…]')
  if (word.startsWith('-')) return usage(`Unknown option '${word}'. See: subgate --help`)
  const guess = closest(word, COMMANDS)
  if (guess !== undefined)
    return usage(`There is no command "${word}". Did you mean "${guess}"? See: subgate --help`, {
      suggestion: guess,
    })
  return usage(
    `There is no command "${word}". To give a task to an agent, type: subgate run ${JSON.stringify(words.join(' '))}`,
  )
}

/** The command that stands under these words; they must all mean one. */
const commandAt = (program: Command, words: readonly string[]): Command =>
  words.reduce((above, word) => {
    const found = above.commands.find((candidate) => candidate.name() === word)
    if (found !== undefined) return found
    const known = above.commands.map((candidate) => candidate.name())
    const guess = closest(word, known)
    const hint =
      guess !== undefined
        ? `Did you mean "${guess}"?`
        : known.length > 0
          ? `There are: ${known.join(', ')}.`
          : `"${above.name()}" has none below it.`
    throw usage(`There is no command "${word}". ${hint}`, guess === undefined ? {} : { suggestion: guess })
  }, program)

const buildProgram = (
  io: Io,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
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
      if (command !== undefined || words.length > 0) throw unknownCommand(words)
      done(await (await import('./home-command.ts')).homeCommand(io))
    })
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
  acpOptions(
    program
      .command('acp')
      .description('serve a provider to an editor over ACP')
      .usage('[options]  |  acp [options] -- <command> [args…]')
      // An editor adds the words of a sign-in to the command that it was configured with.
      .argument('[words...]', 'login [provider], as subgate login'),
  ).action(async (words: readonly string[], flags: AcpFlags) =>
    done(await serveOrSignIn({ command, flags }, words, io)),
  )
  addEditorCommands(program, io, done)
  addReadingCommands(program, io, done)
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
  addConformanceCommand(program, io, command, done)
  program
    .command('help')
    .description('the help of a command')
    .argument('[command...]')
    .action((words: readonly string[]) => commandAt(program, words).outputHelp())
  return program
}

const main = async (): Promise<void> => {
  const { own, command } = splitAtDashes(process.argv.slice(2))
  const io: Io = {
    stdout: new Output(process.stdout),
    stdin: process.stdin,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    say: (line) => void process.stderr.write(`${line}\n`),
  }
  // A reader of stderr that went away is no reason to end.
  process.stderr.on('error', () => {})
  let exitCode = 0
  try {
    await buildProgram(io, command, (code) => {
      exitCode = code
    }).parseAsync(own, { from: 'user' })
  } catch (error) {
    exitCode = explain(error, own, io)
  }
  await io.stdout.flushed()
  if (io.stdout.fault !== undefined) {
    io.say(`Standard output could not be written (${io.stdout.fault}): what it holds is not whole.`)
    exitCode ||= 1
  }
  process.exit(exitCode)
}

/** Help and version come as errors of commander too; they are none. */
const explain = (error: unknown, own: readonly string[], io: Io): number => {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const document = errorDocument(
    error instanceof CommanderError ? usageError(error, helpFor(own)) : asSubagentError(error),
  )
  if (wantsJson(own)) io.stdout.json(document)
  else io.say(document.error.message)
  return document.exitCode
}

const helpFor = ([command = '']: readonly string[]): string =>
  COMMANDS.includes(command) ? `subgate ${command} --help` : 'subgate --help'

await main()
