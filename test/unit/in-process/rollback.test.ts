/** All or nothing: a start that fails at any effect leaves nothing, and a child that ends leaves its registries bare (B3). */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Inbox } from '../../../src/agent/inbox.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { SetupScope, SubagentProvider } from '../../../src/contract/provider.ts'
import type { Preset } from '../../../src/contract/request.ts'
import { compose } from '../../../src/providers/in-process/composition.ts'
import { sharedScopes } from '../../../src/providers/in-process/shared.ts'
import { codeOf } from '../../fixtures/house.ts'
import { agents, overheard } from '../../fixtures/in-process.ts'
import type { Agents } from '../../fixtures/in-process.ts'

/** Fails the n-th effect that passes it, once it is armed. */
class FailNth {
  armed = false
  passed: string[] = []
  #n = 0
  #failed = false

  arm(n: number): void {
    Object.assign(this, { armed: true, passed: [] })
    this.#n = n
    this.#failed = false
  }

  get failed(): boolean {
    return this.#failed
  }

  pass(what: string): void {
    if (!this.armed) return
    this.passed.push(what)
    if (this.passed.length !== this.#n) return
    this.#failed = true
    throw new Error(`effect ${this.#n} failed: ${what}`)
  }

  /** The same object; each call passes by here first. */
  around<T extends object>(name: string, target: T): T {
    return new Proxy(target, {
      get: (self, key) => {
        const value: unknown = Reflect.get(self, key, self)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          this.pass(`${name}.${String(key)}`)
          return Reflect.apply(value, self, args) as unknown
        }
      },
    })
  }
}

const PRESET: Preset = {
  name: 'careful',
  instructions: { mode: 'append', text: 'Be careful.' },
  tools: { deny: ['edit'] },
}

/** Every port that a start goes through passes by the fault. */
const faulty = (
  fault: FailNth,
): { readonly home: Agents; readonly shared: ReturnType<typeof sharedScopes> } => {
  const shared = sharedScopes()
  const wrap = (provider: SubagentProvider): SubagentProvider => ({
    ...provider,
    open: (request, setup: SetupScope) => {
      fault.pass('open')
      const { signal, env } = setup
      const delegation = fault.around('delegation', setup.delegation)
      return provider.open(request, {
        signal,
        env,
        delegation,
        record: (event) => {
          fault.pass('record')
          setup.record(event)
        },
        inherit: (from) => {
          fault.pass('inherit')
          setup.inherit(from)
        },
      })
    },
  })
  const loads = overheard([])
  const tool = (name: string, provider: string) => ({
    provider,
    get name() {
      fault.pass('mount')
      return name
    },
  })
  const home = agents({
    wrap,
    presets: {
      find: async (name) => {
        fault.pass('preset')
        return name === PRESET.name ? PRESET : undefined
      },
      names: async () => [PRESET.name],
    },
    deployment: {
      shared,
      delegationTools: [tool('subagent', 'spawn'), tool('clone', 'fork')],
      loadModel: async (ref) => {
        fault.pass('model')
        return loads(ref)
      },
    },
  })
  const { store: watched } = home
  const through = fault.around('store', { ...watched })
  // The runtime and its agents hold the same object.
  const named = ['publish', 'append', 'get', 'read', 'onCommit'] as const
  Object.assign(watched, Object.fromEntries(named.map((name) => [name, through[name]])))
  return { home, shared }
}

test.each(['spawn', 'fork'] as const)(
  'B3.3: whichever effect of the start of a %s fails, nothing of the child is left, and the next start is whole',
  async (provider) => {
    const fault = new FailNth()
    const { home, shared } = faulty(fault)
    await using _ = home
    const parent = await home.play('say: ready', { sandbox: 'read-only', keep: true })
    const sessions = [...home.ids]
    const before = home.entries(parent.sessionId)
    const [tools, sections] = [shared.tools.names(), shared.sections.names()]
    const failedAt: string[] = []
    for (let n = 1; ; n += 1) {
      fault.arm(n)
      const start = home.start('say: done', {
        provider,
        parent: { sessionId: parent.sessionId },
        preset: PRESET.name,
      })
      const error = await start.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      const at = fault.passed.at(-1) ?? ''
      fault.armed = false
      if (error === undefined) {
        // The fault may have met the run; the start itself was whole.
        const run = await start
        await run.result
        break
      }
      failedAt.push(at)
      expect(home.ids, at).toEqual(sessions)
      expect(home.entries(parent.sessionId), at).toEqual(before)
      expect(home.runtime.load, at).toEqual({ active: 0, queued: 0 })
      expect(existsSync(home.outputsDir), at).toBe(false)
      expect([...home.deployment.models.keys()], at).toEqual(sessions)
      expect([shared.tools.names(), shared.sections.names()], at).toEqual([tools, sections])
    }
    expect(new Set(failedAt)).toEqual(
      new Set([
        'store.get',
        'preset',
        'open',
        'record',
        ...(provider === 'fork' ? ['inherit'] : []),
        'mount',
        'delegation.provider',
        'model',
        'store.publish',
      ]),
    )
    expect(home.ids).toHaveLength(2)
    const whole = await home.play('say: done', { provider, parent: { sessionId: parent.sessionId } })
    expect(whole).toMatchObject({ status: 'completed', text: 'done' })
  },
)

test.each(['preset', 'model'] as const)(
  'B3.3, B14: a start that is aborted while its %s is read rejects with CANCELLED and leaves nothing',
  async (when) => {
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const wait = async (what: typeof when): Promise<void> => {
      if (what !== when) return
      reached.resolve()
      await gate.promise
    }
    const loads = overheard([])
    await using home = agents({
      presets: {
        find: async () => {
          await wait('preset')
          return PRESET
        },
        names: async () => [],
      },
      deployment: {
        loadModel: async (ref) => {
          await wait('model')
          return loads(ref)
        },
      },
    })
    const abort = new AbortController()
    const request = {
      provider: 'spawn',
      prompt: [{ type: 'text', text: 'say: done' }],
      preset: 'careful',
    } as const
    const starting = home.runtime.start(request, { signal: abort.signal })
    await reached.promise
    abort.abort()
    gate.resolve()
    expect(await codeOf(starting)).toBe('CANCELLED')
    expect(home.ids).toEqual([])
    expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
    expect([...home.deployment.models]).toEqual([])
  },
)

const request = {
  preset: PRESET,
  persona: 'You are somebody else.',
  toolFilter: { deny: ['write'] },
  parentSessionId: 'ses_parent',
  cwd: '/work',
  additionalDirectories: [],
} as unknown as Parameters<typeof compose>[0]['request']

const delegation = {
  provider: (name: string) => ({
    name,
    capabilities: { depthLimit: 'native' },
    inheritsParentContext: false,
  }),
  depth: () => ({ current: 0 }),
} as unknown as SetupScope['delegation']

test('B3.8: when a child ends its sections, restrictions and statements are gone, and nothing stays in what it shared', () => {
  const shared = sharedScopes()
  const [tools, sections, prompt] = [shared.tools.names(), shared.sections.names(), shared.sections.render()]
  const composition = compose({
    request,
    shared,
    delegation,
    delegationTools: [{ name: 'subagent', provider: 'spawn' }],
    sandbox: () => 'read-only',
    approvals: () => ({ policy: 'never', source: 'delegation' }),
  })
  expect(composition.inbox).toBeInstanceOf(Inbox)
  const control = ['send_message', 'interrupt_agent', 'list_agents']
  expect(composition.tools.names()).toEqual(['read', 'glob', 'grep', 'ask', 'subagent', ...control])
  expect(composition.sections.render()).toContain('somebody else')
  expect(composition.context.text()).toContain('You work for another agent')
  expect(shared.tools.names()).toEqual(tools)
  composition[Symbol.dispose]()
  expect(composition.tools.names()).toEqual(tools)
  expect(composition.sections.names()).toEqual(sections)
  expect(composition.context.text()).toBe('')
  expect([shared.tools.names(), shared.sections.names(), shared.sections.render()]).toEqual([
    tools,
    sections,
    prompt,
  ])
})

test('B3.3: a composition that fails half-way leaves nothing in what it shared', () => {
  const shared = sharedScopes()
  const before = [shared.tools.names(), shared.sections.names(), shared.sections.render()]
  const attempt = (): unknown =>
    compose({
      request: { ...request, persona: 'Hello {{nobody}}.' },
      shared,
      delegation,
      delegationTools: [],
      sandbox: () => 'read-only',
      approvals: () => ({ policy: 'ask' }),
    })
  expect(attempt).toThrow(SubagentError)
  expect([shared.tools.names(), shared.sections.names(), shared.sections.render()]).toEqual(before)
})
