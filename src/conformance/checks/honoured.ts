/** A claimed capability is honoured: its cue shows so, and the same cue without the control shows the opposite. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { CapabilityId } from '../../contract/capabilities.ts'
import { asksFor, withoutControl } from '../asking.ts'
import { hold, shown } from '../failure.ts'
import type { Cue, Evidence, ProviderFixture } from '../fixture.ts'
import type { CueName } from '../manifest.ts'
import { PROOFS } from '../proofs.ts'
import { cueOf, eventsOf, Stage, withPreset } from '../stage.ts'
import type { Start } from '../stage.ts'

const proven = (row: CapabilityId, cue: Cue, evidence: Evidence): boolean => {
  const said = cue.proves?.(evidence) ?? true
  if (row === 'outputSchema' && evidence.result.structured === undefined) return false
  if (PROOFS[row].by === 'said') return said && cue.proves !== undefined
  if (row === 'permissions' && !wasDenied(evidence)) return false
  return said && !existsSync(evidence.place.marker)
}

const wasDenied = ({ events, result }: Evidence): boolean =>
  result.denied.length > 0 &&
  events.some(({ event }) => event.type === 'permission/resolved' && event.by === 'policy')

const describe = ({ result, place }: Evidence): string =>
  shown({
    status: result.status,
    text: result.text,
    structured: result.structured,
    error: result.error?.code,
  }) + (existsSync(place.marker) ? ', and the marker was written' : '')

export const isHonoured = async (
  row: CapabilityId,
  fixture: ProviderFixture,
  name: CueName = row,
): Promise<void> => {
  const cue = cueOf(fixture, name)
  if (PROOFS[row].by === 'said')
    hold(cue.proves !== undefined, `the cue "${name}" to have a predicate`, 'none')
  await using stage = await Stage.open(fixture, name, cue.preset)
  const start = withPreset(cue.request(stage.place), cue.preset)
  if (row === 'steer') return await steered(stage, cue, start, fixture.patienceMs ?? PATIENCE_MS)
  if (row === 'resume') return await resumed(fixture, stage, cue, start)
  if (row === 'fork') return await forked(stage, cue, start)
  hold(asksFor(row, start, cue.preset), `the cue "${name}" to ask for ${row}`, shown(start))
  const evidence = await stage.play(start)
  hold(proven(row, cue, evidence), PROOFS[row].shows, describe(evidence))
  await rm(stage.place.marker, { force: true })
  contrasts(row, cue, await stage.play(withoutControl(row, start)))
}

/** A cue that also "proves" what nobody asked for proves nothing. */
const contrasts = (row: CapabilityId, cue: Cue, evidence: Evidence): void =>
  hold(
    !proven(row, cue, evidence) && (PROOFS[row].by === 'said' || existsSync(evidence.place.marker)),
    `the same cue without the control to show the opposite`,
    describe(evidence),
  )

const PATIENCE_MS = 10_000

const steered = async (stage: Stage, cue: Cue, start: Start, patienceMs: number): Promise<void> => {
  const run = await stage.start(start)
  for await (const { event } of run.events()) {
    if (event.type === 'session/update') break
    if (event.type === 'run/settled') hold(false, 'an update before the text is given', 'the end of the run')
  }
  await run.steer(cue.steer ?? [])
  const late = setTimeout(() => run.cancel(), patienceMs)
  const result = await run.result
  clearTimeout(late)
  const evidence = { result, events: await eventsOf(run), place: stage.place, stage: 'only' } as const
  hold(cue.proves?.(evidence) ?? false, PROOFS.steer.shows, describe(evidence))
}

const beforeOf = (cue: Cue, stage: Stage): Start => {
  hold(cue.before !== undefined, 'the cue to have something that is said before', 'none')
  return withPreset(cue.before(stage.place), cue.preset)
}

const resumed = async (fixture: ProviderFixture, stage: Stage, cue: Cue, start: Start): Promise<void> => {
  const first = await stage.play({ ...beforeOf(cue, stage), keep: true })
  const { sessionId } = first.result
  const again: Start = { ...start, session: { from: 'resume', sessionId } }
  const warm = await stage.play(again, 'warm')
  hold(warm.result.sessionId === sessionId, 'the follow-up to run on the same session', warm.result.sessionId)
  hold(cue.proves?.(warm) ?? false, PROOFS.resume.shows, describe(warm))
  const native = stage.observed.last?.capabilities.resume === 'native'
  await stage.runtime.close(sessionId)
  hold((await stage.leftovers()).length === 0, 'a closed session to be gone', shown(await stage.leftovers()))
  if (native) {
    const cold = await stage.play(again, 'cold')
    hold(cue.proves?.(cold) ?? false, `${PROOFS.resume.shows} (closed)`, describe(cold))
  }
  await using other = await Stage.open(fixture, 'resume', cue.preset)
  await other.play(beforeOf(cue, other))
  contrasts('resume', cue, await other.play(start))
}

const forked = async (stage: Stage, cue: Cue, start: Start): Promise<void> => {
  const first = await stage.play(beforeOf(cue, stage))
  const { sessionId } = first.result
  const copy = await stage.play({ ...start, session: { from: 'fork', sessionId } })
  hold(copy.result.sessionId !== sessionId, 'a session of its own', 'the one that was copied')
  hold(cue.proves?.(copy) ?? false, PROOFS.fork.shows, describe(copy))
  contrasts('fork', cue, await stage.play(start))
}
