/** `subgate conformance --acp`: checks any ACP agent, or our own face, against the protocol's requirements. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseDuration } from '../contract/durations.ts'
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import { SIGNAL_EXITS } from './documents.ts'
import type { Io } from './io.ts'
import { environmentFlags } from './run/arguments.ts'
import { Interrupts } from './run/interrupts.ts'

export interface ConformanceFlags {
  readonly acp?: true
  readonly provider?: string
  readonly timeout?: string
  readonly cwd?: string
  readonly env?: readonly string[]
  readonly prompt?: string
  readonly cancelPrompt?: string
  readonly filesPrompt?: string
  readonly delegatePrompt?: string
  readonly delegateLongPrompt?: string
  readonly authMethod?: string
  readonly allowLogout?: true
  readonly gateway?: true
  readonly k?: string
  readonly only?: readonly string[]
  readonly reuse?: true
  readonly jobs?: string
  readonly json?: true
  readonly junit?: string
  readonly probeAgent?: true
}

export interface ConformanceInvocation {
  /** What stands behind `--`. */
  readonly command: readonly string[] | undefined
  readonly flags: ConformanceFlags
}

const PLANTED = 'SUBGATE_PLANTED_API_KEY'

/** 0 when the agent is conformant, or all that was chosen passed; else 1. */
export const conformanceCommand = async (
  { command, flags }: ConformanceInvocation,
  io: Io,
): Promise<number> => {
  if (flags.probeAgent === true) return serveProbeAgent(io)
  const subject = subjectOf(command, flags, io)
  const { allOf, byWords, onlyIds } = await import('../conformance/acp-agent/selection.ts')
  const chosen = allOf([
    ...(flags.k === undefined ? [] : [byWords(flags.k)]),
    ...(flags.only === undefined ? [] : [onlyIds(flags.only)]),
  ])
  const timeoutMs = parseDuration(flags.timeout ?? '30', '--timeout')
  if (timeoutMs === 0)
    throw usage('--timeout', '--timeout is 0, but each answer needs a limit. Leave it out for 30s.')
  const jobs = wholeJobs(flags.jobs ?? '4')
  const { AgentProcesses } = await import('../conformance/acp-agent/agent-processes.ts')
  const { checkAcpAgent } = await import('../conformance/acp-agent/check-agent.ts')
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-check-')))
  const cwd = flags.cwd === undefined ? work : resolve(io.cwd, flags.cwd)
  const planted = { name: PLANTED, value: randomBytes(16).toString('hex') }
  const state = subject.own ? { XDG_STATE_HOME: join(work, 'state'), XDG_DATA_HOME: join(work, 'data') } : {}
  const given = { ...subject.given, ...state, [PLANTED]: planted.value }
  using interrupts = new Interrupts(
    () => {},
    () => process.exit(SIGNAL_EXITS[interrupts.received ?? 'SIGINT']),
  )
  try {
    await using processes = new AgentProcesses({ command: subject.command, cwd, inherited: io.env, given })
    const report = await interrupts.unless(
      checkAcpAgent({
        start: () => processes.start(),
        cwd,
        timeoutMs,
        jobs,
        reuse: flags.reuse ?? false,
        planted,
        chosen,
        texts: textsOf(flags),
        allowLogout: flags.allowLogout ?? false,
        behind: flags.gateway ?? false,
        signal: interrupts.signal,
        ...present({ authMethod: flags.authMethod }),
      }),
    )
    return await tell(report, subject.command, flags, io)
  } catch (error) {
    if (interrupts.received !== undefined) return SIGNAL_EXITS[interrupts.received]
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

type Report = Awaited<ReturnType<typeof import('../conformance/acp-agent/check-agent.ts').checkAcpAgent>>

const tell = async (
  report: Report,
  command: readonly string[],
  flags: ConformanceFlags,
  io: Io,
): Promise<number> => {
  const exitCode = report.verdict === 'conformant' || report.verdict === 'partial' ? 0 : 1
  if (flags.junit !== undefined) {
    const { junitOf } = await import('../conformance/acp-agent/junit.ts')
    writeFileSync(resolve(io.cwd, flags.junit), junitOf(report))
  }
  if (flags.json === true) io.stdout.json({ type: 'conformance', command, ...report, exitCode })
  else {
    const { reportText } = await import('../conformance/acp-agent/report-text.ts')
    io.stdout.write(reportText(report))
  }
  return exitCode
}

interface Subject {
  readonly command: readonly [string, ...string[]]
  readonly given: Readonly<Record<string, string | true>>
  /** It is this program: its sessions go to a folder that is removed. */
  readonly own: boolean
}

const subjectOf = (command: readonly string[] | undefined, flags: ConformanceFlags, io: Io): Subject => {
  if (flags.acp !== true)
    throw usage(
      '--acp',
      'What is to be checked? For an ACP agent type: subgate conformance --acp -- <command> [args…]. ' +
        "A provider's claims are checked by its own tests: docs/conformance.md.",
    )
  const given = environmentFlags(flags.env ?? [])
  const behind = flags.gateway === true ? probeCommand() : []
  const [program, ...args] = command ?? []
  if (flags.provider !== undefined) {
    if (command !== undefined)
      throw usage(
        '--provider',
        `Both --provider ${flags.provider} and a command behind -- were given. Leave one out.`,
      )
    if (flags.gateway === true)
      throw usage(
        '--gateway',
        '--gateway wants a command that takes an agent behind it: subgate conformance --acp --gateway -- subgate acp --',
      )
    // It is ourselves: what an agent may not see, it keeps back itself.
    const all = Object.keys(io.env).map((name) => [name, true] as const)
    const face = [...ownCommand(), 'acp', '--provider', flags.provider] as const
    return {
      command: [process.execPath, ...face],
      given: { ...Object.fromEntries(all), ...given },
      own: true,
    }
  }
  if (program === undefined)
    throw usage('--acp', 'No agent was named. Type: subgate conformance --acp -- <command> [args…]')
  return { command: [program, ...args, ...behind], given, own: false }
}

/** This program as it was started. */
const ownCommand = (): readonly string[] => [...process.execArgv, process.argv[1] ?? '']

const probeCommand = (): readonly string[] => [
  process.execPath,
  ...ownCommand(),
  'conformance',
  '--probe-agent',
]

const serveProbeAgent = async (io: Io): Promise<number> => {
  const { serveProbe } = await import('../conformance/acp-agent/probe-agent.ts')
  await serveProbe(io.stdin(), process.stdout)
  return 0
}

const textsOf = (flags: ConformanceFlags) =>
  present({
    hello: flags.prompt,
    cancel: flags.cancelPrompt,
    files: flags.filesPrompt,
    delegate: flags.delegatePrompt,
    delegateLong: flags.delegateLongPrompt,
  })

const wholeJobs = (text: string): number => {
  if (/^[1-9]\d?$/u.test(text)) return Number(text)
  throw usage('--jobs', `--jobs is "${text}", but it must be a whole number from 1 to 99.`)
}

const usage = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })
