/** `subgate acp`: its flags and help; what it does is loaded when it is called. */
import { Option } from 'commander'
import type { Command } from 'commander'
import type { AcpFlags } from './acp-command.ts'
import { collect, PERMISSION_POLICIES, SANDBOX_MODES } from './choices.ts'
import type { Declaring } from './declaring.ts'
import { serveOrSignIn } from './editor-commands.ts'

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

export const addAcpCommand = ({ program, io, command, done }: Declaring): void => {
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
}
