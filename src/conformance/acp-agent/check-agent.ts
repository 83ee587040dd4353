/** Checks an ACP agent against the table of requirements: a fresh process for each, some of them side by side. */
import { ConformanceFailure, Unmet } from '../failure.ts'
import { ACP_CHECKS } from './checks.ts'
import { Conversation } from './conversation.ts'
import { askFacts } from './facts.ts'
import type { AgentFacts } from './facts.ts'
import { GATES } from './gates.ts'
import { settingsOf } from './options.ts'
import type { CheckOptions, Settings } from './options.ts'
import { NotTested } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { overall } from './overall.ts'
import type { Seen } from './overall.ts'
import { reportOf } from './report.ts'
import type { AcpReport } from './report.ts'
import { ACP_REQUIREMENTS } from './requirements.ts'
import type { AcpRequirement } from './requirements.ts'
import { ReusedAgents } from './reuse.ts'
import { Scene } from './scene.ts'
import { protocolSchema } from './schema.ts'
import type { ProtocolSchema } from './schema.ts'

/** Rejects when the agent can't be started at all, or the signal was aborted. */
export const checkAcpAgent = async (options: CheckOptions): Promise<AcpReport> => {
  const settings = settingsOf(options)
  const schema = await protocolSchema()
  const facts = await factsOf(options, settings)
  const chosen = ACP_REQUIREMENTS.filter(options.chosen ?? (() => true))
  await using reused = settings.reuse ? new ReusedAgents(options.start, settings, facts) : undefined
  const seen: Seen[] = []
  const waiting = chosen.filter(({ id }) => ACP_CHECKS[id] !== undefined)
  const outcomes = new Map<string, Outcome>()
  const bench = { options, settings, facts, schema, seen, ...(reused !== undefined && { reused }) }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      options.signal?.throwIfAborted()
      outcomes.set(next.id, await one(next, bench))
    }
  }
  await Promise.all(Array.from({ length: settings.jobs }, work))
  for (const { id } of chosen) if (!outcomes.has(id)) outcomes.set(id, overall(id, seen, settings, schema))
  return reportOf({
    facts,
    outcomes: chosen.flatMap(({ id }) => outcomes.get(id) ?? []),
    whole: chosen.length === ACP_REQUIREMENTS.length,
  })
}

const factsOf = async ({ start }: CheckOptions, settings: Settings): Promise<AgentFacts> => {
  await using conversation = new Conversation(await start(), settings)
  return await askFacts(conversation, settings.authMethod)
}

interface Bench {
  readonly options: CheckOptions
  readonly settings: Settings
  readonly facts: AgentFacts
  readonly schema: ProtocolSchema
  readonly reused?: ReusedAgents
  /** What all checks together have heard. */
  readonly seen: Seen[]
}

const one = async (requirement: AcpRequirement, bench: Bench): Promise<Outcome> => {
  const { id, gate } = requirement
  const { options, settings, facts, schema, reused } = bench
  const begun = performance.now()
  const took = (): number => Math.round(performance.now() - begun)
  if (gate !== undefined) {
    const { words, open } = GATES[gate]
    const { authMethod, allowLogout, behind, texts } = settings
    const given = { allowLogout, behind, ...texts, ...(authMethod !== undefined && { authMethod }) }
    if (!open(facts, given))
      return { id, status: 'not_advertised', detail: `without ${words}`, durationMs: took() }
  }
  const scene = new Scene(options.start, settings, facts, schema, reused)
  const ended = await judged(requirement, scene)
  await scene[Symbol.asyncDispose]()
  const conversations = [...scene.conversations, ...scene.overheard]
  bench.seen.push({ id, conversations })
  const transcript = conversations.flatMap((conversation) => conversation.transcript.lines())
  const wrong = ended.status === 'failed' || ended.status === 'not_tested'
  return { id, ...ended, ...(wrong && { transcript }), durationMs: took() }
}

const judged = async (
  { id, level }: AcpRequirement,
  scene: Scene,
): Promise<Pick<Outcome, 'status' | 'detail'>> => {
  try {
    const detail = await ACP_CHECKS[id]?.(scene)
    const status = level === 'INFORMATIONAL' ? 'recorded' : 'passed'
    return { status, ...(typeof detail === 'string' && { detail }) }
  } catch (error) {
    if (error instanceof NotTested) return { status: 'not_tested', detail: error.message }
    const unmet = error instanceof Unmet || error instanceof ConformanceFailure
    const words = error instanceof Error ? error.message : String(error)
    const detail = unmet ? words : `the check did not come to its end: ${words}`
    // What is only recorded can't fail; that there was no answer is what was seen.
    return { status: level === 'INFORMATIONAL' ? 'recorded' : 'failed', detail }
  }
}
