/** The CLI's entry: reads the command line, and loads only what the command needs. */
import { isatty } from 'node:tty'
import { CommanderError } from 'commander'
import { asSubagentError, errorDocument } from './documents.ts'
import type { Io } from './io.ts'
import { Output } from './output.ts'
import { buildProgram, COMMANDS } from './program.ts'
import { usageError } from './usage.ts'

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

const main = async (): Promise<void> => {
  const { own, command } = splitAtDashes(process.argv.slice(2))
  const io: Io = {
    stdout: new Output(process.stdout),
    stdin: () => process.stdin,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    isInteractive: isatty(0) && isatty(2),
    say: (line) => void process.stderr.write(`${line}\n`),
  }
  // A reader of stderr that went away is no reason to end.
  process.stderr.on('error', () => {})
  let exitCode = 0
  try {
    const done = (code: number): void => {
      exitCode = code
    }
    await buildProgram(own[0], { io, command, done }).parseAsync(own, { from: 'user' })
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
