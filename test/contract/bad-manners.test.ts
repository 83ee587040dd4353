/** Providers that break a law in one way, each caught by the requirement that it breaks. */
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { claims } from '../../src/capabilities/rows.ts'
import { verify } from '../../src/conformance/index.ts'
import type { ProviderFixture } from '../../src/conformance/index.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import type { ProviderSession, SubagentProvider, Turn } from '../../src/contract/provider.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { CUES, scriptedFixture } from '../fixtures/conformance/scripted.ts'

type Change = (session: ProviderSession) => Partial<ProviderSession>

/** A scripted provider whose sessions behave otherwise in some way. */
const changed = (change: Change, more: Partial<SubagentProvider> = {}): ProviderFixture =>
  scriptedFixture(() => {
    const inner = scriptedProvider({ capabilities: 'all' })
    return {
      ...inner,
      open: async (request, setup) => {
        const session = await inner.open(request, setup)
        const whole: ProviderSession = {
          capabilities: session.capabilities,
          nativeId: session.nativeId,
          get usable() {
            return session.usable
          },
          prompt: (content, turn) => session.prompt(content, turn),
          steer: (content) => session.steer?.(content) ?? Promise.resolve(),
          [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
        }
        return { ...whole, ...change(session) }
      },
      ...more,
    }
  })

const fails = (id: string, fixture: ProviderFixture, seen: string): Promise<void> =>
  expect(verify(id, fixture)).rejects.toThrow(seen)

const say = (turn: Turn, text: string): void => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } as const
  turn.emit({ type: 'session/update', update })
}

test('one that goes on talking after its turn is caught', async () => {
  const talkative = changed((session) => ({
    prompt: async (content, turn) => {
      const outcome = await session.prompt(content, turn)
      setTimeout(() => say(turn, 'and another thing'), 10)
      return outcome
    },
  }))
  await fails('run/nothing-after-settle', talkative, 'session/late_update')
})

test('one that swaps its updates is caught', async () => {
  const hasty = changed((session) => ({
    prompt: (content, turn) => {
      const held: (() => unknown)[] = []
      const emit: Turn['emit'] = (event) => {
        held.unshift(() => turn.emit(event))
        return true
      }
      return session.prompt(content, { ...turn, emit }).finally(() => held.forEach((release) => release()))
    },
  }))
  await fails('run/updates-in-order', hasty, 'threetwo one')
})

test('one that calls a fault a success is caught', async () => {
  const rosy = changed((session) => ({
    prompt: (content, turn) => session.prompt(content, turn).catch(() => ({ ended: 'completed' as const })),
  }))
  await fails('result/fault-is-failed', rosy, '"status":"completed"')
})

test('one that loses its partial text is caught', async () => {
  const mute = changed((session) => ({
    prompt: (content, turn) => session.prompt(content, { ...turn, emit: () => true }),
  }))
  await fails('result/refusal-is-refused', mute, '"text":""')
})

test('one that does not hear a cancel is caught', async () => {
  const deaf = changed((session) => ({
    prompt: (content, turn) => session.prompt(content, { ...turn, signal: new AbortController().signal }),
  }))
  await fails('cancel/is-heard', deaf, 'that it had to be ended')
})

test('one whose session is not gone at the settlement is caught', async () => {
  let kept: ProviderSession | undefined
  const clinging: ProviderFixture = {
    ...changed((session) => {
      kept = session
      return { [Symbol.asyncDispose]: async () => {} }
    }),
  }
  const create: ProviderFixture['create'] = async (place, cue, store) => ({
    ...(await clinging.create(place, cue, store)),
    leftovers: () => (kept?.usable === true ? ['a remote session'] : []),
  })
  await fails('settled/is-gone', { ...clinging, create }, 'a remote session')
})

test('one that leaves a process is caught', async () => {
  const children: ReturnType<typeof spawn>[] = []
  const littering = changed((session) => ({
    prompt: (content, turn) => {
      children.push(spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' }))
      return session.prompt(content, turn)
    },
  }))
  try {
    await fails('settled/is-gone', littering, 'the process')
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
})

test('one that throws at the second disposal is caught', async () => {
  const touchy = changed((session) => {
    let disposed = false
    return {
      [Symbol.asyncDispose]: async () => {
        if (disposed) throw new Error('Disposed already.')
        disposed = true
        await session[Symbol.asyncDispose]()
      },
    }
  })
  await fails('dispose/is-idempotent', touchy, 'Disposed already.')
})

test('one whose session has more than was declared is caught', async () => {
  const boastful = changed(() => ({ capabilities: claims({ model: 'native' }) }), { capabilities: claims() })
  await fails('open/claims-no-more-than-declared', boastful, 'for model, but saw native')
})

test('one that asks after it has acted is caught', async () => {
  const bold = changed((session) => ({
    prompt: (content, turn) =>
      session.prompt(content, {
        ...turn,
        requestPermission: async (question) => {
          const { toolCall, options } = question
          const answer = turn.requestPermission({ toolCall: { ...toolCall, toolCallId: 'later' }, options })
          const update = { sessionUpdate: 'tool_call', toolCallId: 'later', title: 'Write' } as const
          turn.emit({ type: 'session/update', update })
          return answer
        },
      }),
  }))
  await fails('permission/answered-before-it-acts', bold, 'permission/requested')
})

test('one that throws something that is no typed error is a fault of the provider, and passes', async () => {
  const crude = changed((session) => ({
    prompt: (content, turn) =>
      session.prompt(content, turn).catch((error: unknown) => {
        throw SubagentError.is(error) ? new TypeError('crude') : error
      }),
  }))
  expect(await verify('result/fault-is-failed', crude)).toBe('passed')
})

test('a deviation from a `should` is still a failure for verify', async () => {
  const { toolsOnly: _, ...cues } = CUES
  const partial = { ...scriptedFixture(() => scriptedProvider()), cues }
  await fails('result/tool-calls-only-is-empty', partial, 'a cue "toolsOnly"')
})
