/** A capability that isn't there is refused by name, and nothing is left of the start. */
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Preset } from '../../contract/request.ts'
import type { SubagentProvider } from '../../contract/provider.ts'
import { asking } from '../asking.ts'
import { hold, shown, Unmet } from '../failure.ts'
import type { ProviderFixture } from '../fixture.ts'
import { cueOf, Stage } from '../stage.ts'
import type { Start } from '../stage.ts'

/** The same provider, but with this row switched off: for the refusal of what is claimed. */
const lowered = (fixture: ProviderFixture, row: CapabilityId, to: 'none' | 'emulated'): ProviderFixture => ({
  ...fixture,
  create: async (place, cue, store) => {
    const subject = await fixture.create(place, cue, store)
    const capabilities: SubagentCapabilities = { ...subject.provider.capabilities, [row]: to }
    const { name, negotiated, inheritsParentContext } = subject.provider
    const open: SubagentProvider['open'] = async (request, setup) => {
      const session = await subject.provider.open(request, setup)
      return Object.create(session, {
        capabilities: { get: () => ({ ...session.capabilities, [row]: to }) },
        steer: { value: undefined },
        prompt: { value: session.prompt.bind(session) },
        usable: { get: () => session.usable },
        nativeId: { get: () => session.nativeId },
        [Symbol.asyncDispose]: { value: () => session[Symbol.asyncDispose]() },
      }) as typeof session
    }
    const check: SubagentProvider['check'] = (request) => subject.provider.check?.(request)
    const provider = { name, negotiated, inheritsParentContext, capabilities, check, open }
    return {
      provider,
      ...(subject.settings !== undefined && { settings: subject.settings }),
      ...(subject.leftovers !== undefined && { leftovers: () => subject.leftovers?.() ?? [] }),
      [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
    }
  },
})

export const isRefused = async (
  row: CapabilityId,
  fixture: ProviderFixture,
  claimed: SubagentCapabilities,
): Promise<void> => {
  const subject = claimed[row] === 'none' ? fixture : lowered(fixture, row, 'none')
  if (row === 'steer') return steerIsRefused(subject)
  if (row === 'fork') await refusal(subject, ['fork'], 'forked')
  else await refusal(subject, [row])
  if (row === 'resume') await refusal(subject, ['resume'], 'resumed')
  // Where instructions can only be appended, replacing is another control that isn't there.
  if (row === 'persona' && claimed.persona !== 'none') {
    const preset = { name: 'conformance', instructions: { mode: 'replace', text: 'Be brief.' } } as const
    await refusal(lowered(fixture, row, 'emulated'), ['persona'], 'new', preset)
  }
}

/** The start is refused, before `open` unless the handshake decides; resolves with the rows it names. */
export const refusal = async (
  fixture: ProviderFixture,
  rows: readonly CapabilityId[],
  origin: 'new' | 'forked' | 'resumed' = 'new',
  own?: Preset,
): Promise<readonly string[]> => {
  const base: Start = { prompt: [{ type: 'text', text: 'This is refused.' }] }
  const preview = asking(base, rows, NOWHERE)
  await using stage = await Stage.open(fixture, 'answer', own ?? preview.preset)
  const { observed } = stage
  const source = origin === 'new' ? undefined : await sessionToTakeUp(stage, fixture)
  // Read before the start: what a handshake answers may be remembered and lower them.
  const { negotiated, capabilities } = observed.provider
  const [opens, published] = [observed.opens, stage.published.length]
  const plain = own === undefined ? asking(base, rows, stage.place).start : { ...base, preset: own.name }
  const start: Start =
    source === undefined
      ? plain
      : { ...base, session: { from: origin === 'forked' ? 'fork' : 'resume', sessionId: source } }
  const error = await stage.start(start).then(
    (run) => {
      throw new Unmet('UNSUPPORTED_CAPABILITY', `the run ${run.id} on it`)
    },
    (reason: unknown) => reason,
  )
  if (error instanceof Unmet) throw error
  // Session and authority are looked at before the gate (B1.3), and an agent without ids leaves nothing to find.
  const lost = source !== undefined && stage.store.get(source)?.registers.nativeId === undefined
  if (lost && SubagentError.is(error) && error.code === 'NOT_RESUMABLE') return rows
  hold(
    SubagentError.is(error) && error.code === 'UNSUPPORTED_CAPABILITY',
    'UNSUPPORTED_CAPABILITY',
    SubagentError.is(error) ? error.code : String(error),
  )
  const { missing, provider } = error.data as {
    readonly missing: readonly string[]
    readonly provider: string
  }
  hold(provider === observed.provider.name, observed.provider.name, provider)
  const undeclared = rows.filter((row) => capabilities[row] === 'none' || !negotiated.includes(row))
  if (undeclared.length > 0) {
    hold(same(undeclared, missing), `${undeclared.join(', ')} to be missing`, missing.join(', '))
    hold(observed.opens === opens, 'nothing to be opened', `${observed.opens - opens} calls of open`)
  } else {
    const known = missing.length > 0 && missing.every((id) => rows.some((row) => row === id))
    hold(known, `rows of ${rows.join(', ')} to be missing`, missing.join(', '))
  }
  hold(stage.published.length === published, 'nothing to be published', 'a session in the store')
  const { active, queued } = stage.runtime.load
  hold(active + queued === 0, 'no slot to be held', `${active} active, ${queued} queued`)
  const left = await stage.leftovers()
  hold(left.length === 0, 'nothing to be left', left.join(', '))
  return missing
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word) => b.includes(word))

const NOWHERE = { workspace: '/', elsewhere: '/', marker: '/marker' }

const sessionToTakeUp = async (stage: Stage, fixture: ProviderFixture) => {
  const { result } = await stage.play(cueOf(fixture, 'answer').request(stage.place))
  return result.sessionId
}

const steerIsRefused = async (fixture: ProviderFixture): Promise<void> => {
  await using stage = await Stage.open(fixture, 'hang')
  await using run = await stage.start(cueOf(fixture, 'hang').request(stage.place))
  const error = await run.steer([{ type: 'text', text: 'This is refused.' }]).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  hold(
    SubagentError.is(error) && error.code === 'UNSUPPORTED_CAPABILITY',
    'UNSUPPORTED_CAPABILITY',
    SubagentError.is(error) ? error.code : shown(error ?? 'no refusal'),
  )
}
