/** `subgate run`: one task to one agent, its answer as a stream and a result. */
import { present } from '../../contract/present.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { SubagentStartRequest } from '../../contract/request.ts'
import type { SubagentRun, WatchedEvent } from '../../contract/run.ts'
import { Gateway, StoredRun } from '../../gateway.ts'
import { asSubagentError, errorDocument, resultDocument, SIGNAL_EXITS } from '../documents.ts'
import type { Io } from '../io.ts'
import { errorHints, waitLine } from './failure.ts'
import { asTyped } from './as-typed.ts'
import { attachments } from './attachments.ts'
import { environmentFlags, formatOf, requestFromFlags } from './arguments.ts'
import type { RunFlags } from './arguments.ts'
import { chooseProvider } from './choice.ts'
import { Faults } from './faults.ts'
import { Interrupts } from './interrupts.ts'
import { presenterFor } from './presenter.ts'
import type { Presenter } from './presenter.ts'
import { readPrompt } from './prompt.ts'
import { foundNames, installableAgents, providerNames, requireInstalled } from './names.ts'
import { askedWith, promptWords, resumedSession, sessionRequest } from './session-choice.ts'
import type { TerminalSession } from './terminal-session.ts'

export interface RunInvocation {
  readonly words: readonly string[]
  /** What stands behind `--`. */
  readonly command: readonly string[] | undefined
  readonly flags: RunFlags
}

/** Resolves with the exit code; everything that is to be said has been said. */
export const runCommand = async (invocation: RunInvocation, io: Io): Promise<number> => {
  const { flags } = invocation
  const format = formatOf(flags)
  let opened: Gateway | undefined
  const titleOf = (provider: string): string =>
    opened?.runtime.providers.find(provider)?.provider.title ?? provider
  const terminal = io.stderr.isTTY || io.stdout.isTTY ? await terminalSession(io, titleOf) : undefined
  const say = (line: string): void => (terminal === undefined ? io.say(line) : terminal.note(line))
  const text = (chunk: string): void =>
    terminal === undefined ? io.stdout.write(chunk) : terminal.text(chunk)
  const presenter = presenterFor(format, { stdout: io.stdout, text, say })
  let run: SubagentRun | undefined
  using interrupts = new Interrupts(
    () => run?.cancel('signal'),
    () => {
      opened?.abandon()
      process.exit(SIGNAL_EXITS[interrupts.received ?? 'SIGINT'])
    },
  )
  // A provider's module is foreign code: what it prints and throws must not break what is said here.
  io.stdout.keep(io.stderr)
  using faults = new Faults()
  try {
    await using gateway = await interrupts.unless(openGateway(invocation, io, say))
    opened = gateway
    const { request, asked } = await interrupts.unless(resolveRequest(invocation, gateway, { ...io, say }))
    terminal?.starting(request.provider)
    faults.of(request.provider)
    run = await faults.unless(
      gateway.runtime.start(request, {
        signal: interrupts.signal,
        answers: io.isInteractive,
        onWait: (wait) => say(waitLine(wait)),
        ...present({ asked }),
      }),
    )
    terminal?.started()
    await faults.unless(follow(run, gateway, presenter, io, terminal))
    const document = resultDocument(await run.result, flags.onDenied ?? 'fail', interrupts.received)
    presenter.result(document)
    if (format !== 'quiet') terminal?.tree()
    terminal?.close()
    return document.exitCode
  } catch (error) {
    const document = errorDocument(asTyped(asSubagentError(error), flags), interrupts.received)
    terminal?.close()
    presenter.error(document)
    if (format === 'text' || format === 'quiet') for (const line of errorHints(document.error)) say(line)
    return document.exitCode
  }
}

const terminalSession = async (io: Io, titleOf: (provider: string) => string): Promise<TerminalSession> => {
  const { TerminalSession } = await import('./terminal-session.ts')
  return new TerminalSession(io, titleOf)
}

const openGateway = async ({ command, flags }: RunInvocation, io: Io, say: Io['say']): Promise<Gateway> => {
  const logLevel = flags.verbose === true ? ('debug' as const) : undefined
  const [program, ...args] = command ?? []
  const { cwd } = requestFromFlags({ cwd: flags.cwd ?? '.' }, io.cwd)
  const gateway = await Gateway.create({
    env: io.env,
    agentEnv: environmentFlags(flags.env ?? []),
    permission: io.isInteractive ? 'ask' : 'allow-reads',
    ...present({ cwd, logLevel, command: program === undefined ? undefined : ([program, ...args] as const) }),
  })
  for (const note of gateway.notes) say(note)
  for (const [name, value] of Object.entries(environmentFlags(flags.env ?? []))) {
    if (value === true && io.env[name] === undefined) say(`--env ${name}: no such variable is set here.`)
  }
  if (gateway.warnings.length === 0) return gateway
  if (!io.isInteractive) {
    for (const warning of gateway.warnings) say(warning)
    return gateway
  }
  const { askForTrust } = await import('../trust-question.ts')
  if (!(await askForTrust(gateway, io))) return gateway
  await gateway[Symbol.asyncDispose]()
  return openGateway({ words: [], command, flags }, io, say)
}

interface Resolved {
  readonly request: SubagentStartRequest
  /** The same with the session as it was typed, where one was. */
  readonly asked: JsonObject | undefined
}

const resolveRequest = async (
  { words, command, flags }: RunInvocation,
  gateway: Gateway,
  io: Pick<Io, 'stdin' | 'cwd' | 'say'>,
): Promise<Resolved> => {
  const { config } = gateway.loaded
  const canonical = (name: string): string | undefined => gateway.runtime.providers.find(name)?.provider.name
  const resumed = await resumedSession(flags, gateway, io.cwd)
  const choice = chooseProvider({
    words: resumed === undefined ? words : promptWords(words, resumed.provider, canonical),
    names: providerNames(gateway),
    found: () => foundNames(gateway),
    installable: () => installableAgents(gateway),
    ...present({
      command,
      named: flags.provider ?? (command === undefined ? resumed?.provider : undefined),
      defaultProvider: config.defaultProvider,
    }),
  })
  requireInstalled(choice.provider, gateway)
  if (choice.note !== undefined) io.say(choice.note)
  const { cwd, ...flagged } = requestFromFlags(flags, io.cwd)
  const provider = canonical(choice.provider) ?? choice.provider
  const session = sessionRequest(flags, resumed, { provider, cwd: cwd ?? io.cwd }, () => gateway.store)
  // What is taken up stays where it was, unless it is told otherwise.
  const request = {
    ...flagged,
    ...session,
    ...present({ cwd: resumed && flags.cwd === undefined ? resumed.cwd : cwd }),
  }
  const prompt = await readPrompt({
    words: choice.words,
    stdin: io.stdin,
    say: io.say,
    ...present({ file: flags.file }),
  })
  const { preset } = request
  if (preset !== undefined)
    for (const line of await gateway.presets.warnings(preset, request.cwd ?? io.cwd)) io.say(line)
  const complete = await gateway.rootRequest({
    ...request,
    provider: choice.provider,
    prompt: [{ type: 'text', text: prompt }, ...attachments(flags, io.cwd)],
  })
  const named = resumed === undefined ? provider : flags.provider
  return { request: complete, asked: askedWith(flags, { ...flagged, cwd, prompt, provider: named }) }
}

/** Of a run that another process has started with the same key, its own events. */
async function* eventsOf(run: SubagentRun): AsyncGenerator<readonly WatchedEvent[], void, undefined> {
  for await (const event of run.events()) yield [{ run, event }]
}

/** Shows the whole tree's events until the root has settled. */
const follow = async (
  run: SubagentRun,
  gateway: Gateway,
  presenter: Presenter,
  { stdout }: Io,
  terminal: TerminalSession | undefined,
): Promise<void> => {
  const stretches =
    run instanceof StoredRun ? eventsOf(run) : gateway.runtime.watchStretches({ root: run.sessionId })
  for await (const stretch of stretches)
    for (const { run: source, event } of stretch) {
      terminal?.event(source, event)
      // Setup events and late updates belong to a session, not to a run.
      if (event.runId !== undefined || event.event.type === 'notice') presenter.event(source, event)
      if (event.event.type === 'run/settled' && source.id === run.id) return
      if (stdout.full) await stdout.ready()
      if (!stdout.open) run.cancel()
    }
}
