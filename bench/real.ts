/**
 * `node bench/real.ts [--repeats N]`: real agents with a model on loopback. From the prompt to the exit by
 * `subgate run`, beside each agent's own one-shot; and what a further turn costs where a process is there already.
 * Once before: `npm ci --prefix test/real`.
 */
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSubgate } from '../src/index.ts'
import type { RunOptions, SessionId, Subgate } from '../src/index.ts'
import { nativeProgram } from '../src/providers/codex/program.ts'
import { claudeAgent, claudeNative, codexAgent, codexNative, geminiAgent } from '../test/real/agents.ts'
import type { RealAgent } from '../test/real/agents.ts'
import { ModelServer } from '../test/real/model-server.ts'
import { Workspace } from '../test/real/workspace.ts'
import { ClaudeFloor } from './claude-floor.ts'
import { CodexFloor } from './codex-floor.ts'
import { median, sample } from './measure.ts'
import { verdict } from './report.ts'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '5' } } })
const repeats = Math.max(1, Number(values.repeats))
/** What a turn may cost above the bare protocol of a process that is there already. */
const OWN_MS = 25
const KEY = 'loopback-key-bench'
const PROMPT = 'Say the word.'
const ANSWER = 'LOOPBACK-ANSWER'
const SUBGATE = join(import.meta.dirname, '../bin/subgate.js')

interface Contestant {
  readonly agent: RealAgent
  /** Its own one-shot; an adapter has none and stands beside its agent's. */
  readonly own: readonly string[]
}

const CODEX_EXEC = [codexNative.command, 'exec', '--skip-git-repo-check', PROMPT]
const CLAUDE_PRINT = [claudeNative.command, '-p', PROMPT]
const CONTESTANTS: readonly Contestant[] = [
  { agent: codexNative, own: CODEX_EXEC },
  { agent: codexAgent, own: CODEX_EXEC },
  { agent: claudeNative, own: CLAUDE_PRINT },
  { agent: claudeAgent, own: CLAUDE_PRINT },
  { agent: geminiAgent, own: [geminiAgent.command, '-p', PROMPT] },
]

interface Times {
  /** When the model was asked, on the clock of this process. */
  readonly askedAt: () => number
  readonly model: ModelServer
}

const openModel = async (): Promise<Times> => {
  const model = await ModelServer.start(KEY)
  let at = 0
  const tell = (): string => {
    at = performance.now()
    return ANSWER
  }
  model.when(PROMPT, { do: 'tell', tell })
  return { askedAt: () => at, model }
}

const { model, askedAt } = await openModel()

const placeOf = (agent: RealAgent, workspace: Workspace): Record<string, string> => ({
  ...workspace.env,
  ...agent.configure(workspace, model.url, KEY),
})

/** Both in turns, so that a slow moment of the machine meets both. */
const beside = async ({ agent, own }: Contestant): Promise<readonly [number, number]> => {
  using workspace = new Workspace()
  const place = { cwd: workspace.work, env: placeOf(agent, workspace) }
  const named = agent.named.flatMap((name) => ['--env', name])
  const ours = [process.execPath, SUBGATE, 'run', agent.name, '--output-format', 'text', ...named, PROMPT]
  const all: [number, number][] = []
  // The first one of each makes its home.
  for (let time = 0; time <= repeats; time += 1) {
    const a = await sample(ours, ANSWER, place)
    const b = await sample(own, ANSWER, place)
    if (time > 0) all.push([a.exitMs, b.exitMs])
  }
  return [median(all.map(([a]) => a)), median(all.map(([, b]) => b))]
}

interface Turn {
  /** Until the model is asked, and from then to the end. */
  readonly beforeMs: number
  readonly afterMs: number
}

const timed = async (turn: () => Promise<void>): Promise<Turn> => {
  const start = performance.now()
  await turn()
  return { beforeMs: askedAt() - start, afterMs: performance.now() - askedAt() }
}

const totalOf = ({ beforeMs, afterMs }: Turn): number => beforeMs + afterMs
const medianOf = (turns: readonly Turn[]): Turn => ({
  beforeMs: median(turns.map(({ beforeMs }) => beforeMs)),
  afterMs: median(turns.map(({ afterMs }) => afterMs)),
})

const gateFor = (agent: RealAgent, workspace: Workspace): Promise<Subgate> => {
  const env = placeOf(agent, workspace)
  const agentEnv = Object.fromEntries(agent.named.map((name) => [name, env[name] ?? '']))
  return createSubgate({ cwd: workspace.work, home: workspace.env['HOME'] ?? '', env, agentEnv })
}

const answer = async (gate: Subgate, provider: string, options: RunOptions): Promise<SessionId> => {
  const run = await gate.start(provider, PROMPT, options)
  const { status, text, error } = await run.result
  if (status !== 'completed' || text !== ANSWER) throw new Error(`${status}: ${error?.message ?? text}`)
  return run.sessionId
}

/** The second and further starts of a child, beside the first, which starts the process that they share. */
const delegations = async (agent: RealAgent): Promise<readonly [fresh: Turn, warm: Turn]> => {
  using workspace = new Workspace()
  await using gate = await gateFor(agent, workspace)
  const fresh: Turn[] = []
  const warm: Turn[] = []
  for (let time = 0; time < Math.ceil(repeats / 2); time += 1) {
    // Its children share a process of their own with nobody else's, unless lineage is set for each session.
    const parent = { sessionId: await answer(gate, agent.name, { keep: true }) }
    const child = async (): Promise<void> => void (await answer(gate, agent.name, { parent }))
    if (time === 0 || agent.native !== true) fresh.push(await timed(child))
    for (let more = 0; more < 3; more += 1) warm.push(await timed(child))
  }
  return [medianOf(fresh), medianOf(warm)]
}

/** Further turns of a kept session, beside its first. */
const followUps = async (agent: RealAgent): Promise<readonly [first: Turn, more: Turn]> => {
  using workspace = new Workspace()
  await using gate = await gateFor(agent, workspace)
  let kept: SessionId | undefined
  const first = await timed(async () => {
    kept = await answer(gate, agent.name, { keep: true })
  })
  if (kept === undefined) throw new Error('There is no session.')
  const session = { from: 'resume', sessionId: kept } as const
  const more: Turn[] = []
  for (let time = 0; time < repeats * 2; time += 1) {
    more.push(await timed(async () => void (await answer(gate, agent.name, { session }))))
  }
  return [first, medianOf(more)]
}

interface Pair {
  readonly ours: Turn
  readonly floor: Turn
  readonly apartMs: number
}

/** A warm process behind the gateway and one behind the bare protocol, in turns: what each pair is apart counts. */
const pairs = async (ourTurn: () => Promise<void>, bareTurn: () => Promise<void>): Promise<Pair> => {
  const [ours, floor]: readonly [Turn[], Turn[]] = [[], []]
  for (let time = -1; time < repeats * 4; time += 1) {
    const a = await timed(ourTurn)
    const b = await timed(bareTurn)
    // The first pair starts a process and opens its files.
    if (time < 0) continue
    ours.push(a)
    floor.push(b)
  }
  const apart = ours.map((turn, at) => totalOf(turn) - totalOf(floor[at] ?? turn))
  return { ours: medianOf(ours), floor: medianOf(floor), apartMs: median(apart) }
}

const codexOverFloor = async (): Promise<Pair> => {
  using ourPlace = new Workspace()
  using itsPlace = new Workspace()
  await using gate = await gateFor(codexNative, ourPlace)
  const env = placeOf(codexNative, itsPlace)
  const program = nativeProgram(codexNative.command, env['PATH'])
  await using bare = await CodexFloor.start(program, itsPlace.work, env)
  const parent = { sessionId: await answer(gate, codexNative.name, { keep: true }) }
  return await pairs(
    async () => void (await answer(gate, codexNative.name, { parent })),
    () => bare.turn(PROMPT),
  )
}

const claudeOverFloor = async (): Promise<Pair> => {
  using ourPlace = new Workspace()
  using itsPlace = new Workspace()
  await using gate = await gateFor(claudeNative, ourPlace)
  await using bare = new ClaudeFloor(claudeNative.command, itsPlace.work, placeOf(claudeNative, itsPlace))
  const kept = await answer(gate, claudeNative.name, { keep: true })
  const session = { from: 'resume', sessionId: kept } as const
  return await pairs(
    async () => void (await answer(gate, claudeNative.name, { session })),
    () => bare.turn(PROMPT),
  )
}

const ms = (value: number): string => `${value.toFixed(0)} ms`
const shown = (turn: Turn): string =>
  `${ms(totalOf(turn))} (${turn.beforeMs.toFixed(0)} before the model is asked, ${turn.afterMs.toFixed(0)} from then on)`
const load = (): string => loadavg()[0]?.toFixed(1) ?? '?'

try {
  const missing = CONTESTANTS.find(({ agent }) => !existsSync(agent.command))
  if (missing !== undefined) {
    console.log(`Left out: ${missing.agent.name} is absent. Once: npm ci --prefix test/real`)
  } else {
    console.log(
      `Node ${process.version}, ${availableParallelism()} cores, load ${load()}; medians of ${repeats} repeats\n`,
    )
    console.log('From the prompt to the exit, beside the own one-shot of the agent')
    for (const contestant of CONTESTANTS) {
      const [ours, own] = await beside(contestant)
      console.log(
        `  ${contestant.agent.name.padEnd(12)} ${ms(ours).padStart(8)} ${ms(own).padStart(8)}  ${(ours / own).toFixed(2)}`,
      )
    }
    console.log('\nA further delegation, beside the first')
    for (const agent of [codexNative, codexAgent, claudeAgent]) {
      const [fresh, warm] = await delegations(agent)
      console.log(
        `  ${agent.name.padEnd(12)} first ${shown(fresh)}\n  ${' '.repeat(12)} then  ${shown(warm)}`,
      )
    }
    const [first, more] = await followUps(claudeNative)
    console.log(`\nA follow-up to ${claudeNative.name}\n  first ${shown(first)}\n  then  ${shown(more)}`)
    const codex = await codexOverFloor()
    const claude = await claudeOverFloor()
    for (const [what, { ours, floor }] of [
      ['A delegation to a warm Codex', codex],
      ['A follow-up to a warm Claude Code', claude],
    ] as const)
      console.log(`\n${what}\n  subgate  ${shown(ours)}\n  bare     ${shown(floor)}`)
    console.log('\nTargets')
    for (const [what, { apartMs }] of [
      ['warm Codex', codex],
      ['warm Claude Code', claude],
    ] as const)
      console.log(verdict(`${what} over its bare protocol ≤ ${OWN_MS} ms`, ms(apartMs), apartMs <= OWN_MS))
    console.log(`Load at the end: ${load()}`)
  }
} finally {
  await model.close()
}
