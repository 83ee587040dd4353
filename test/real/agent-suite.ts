/** What Subgate promises about any agent, checked on a real one (laws 4–6 and 8, B10.2, B10.3). */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RealAgent } from './agents.ts'
import { Rig, chunkOf } from './rig.ts'

const types = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map((event) => event.type)

const never = new Promise<never>(() => {})

export const describeAgent = (agent: RealAgent): void => {
  describeTurns(agent)
  describeFaults(agent)
}

/** What is more of an agent than its faces show: face-suite.ts has the faults of those that are driven by their own interface. */
export const describeTurns = (agent: RealAgent): void => {
  describe(`subgate run on ${agent.name}`, () => {
    test('streams a plain answer while the model is still speaking, and completes', async () => {
      await using rig = await Rig.of(agent)
      const heard = Promise.withResolvers<void>()
      rig.model.when('Say the sentence.', {
        do: 'say',
        text: 'The quick fox jumps over it.',
        until: heard.promise,
      })
      const run = rig.start('Say the sentence.')
      // The model holds its last word back until the first one has come out of the program.
      await run.event((event) => chunkOf(event).includes('The'))
      heard.resolve()
      const { code, document, events } = await rig.end(run)
      expect(document).toMatchObject({ type: 'result', status: 'completed', denied: [], exitCode: 0 })
      expect(document.text).toBe('The quick fox jumps over it.')
      expect(document.usage?.outputTokens).toBeGreaterThan(0)
      expect(code).toBe(0)
      expect(types(events).filter((type) => type.startsWith('run/'))).toEqual(['run/started', 'run/settled'])
      expect(events[0]?.type).toBe('run/started')
      expect(events.at(-1)?.type).toBe('run/settled')
    })

    test('lets a command run that --permission allow grants', async () => {
      await using rig = await Rig.of(agent)
      const file = join(rig.workspace.work, 'granted.txt')
      rig.model.when('Write it.', agent.shell(`echo granted > ${file}`), { do: 'say', text: 'Written now.' })
      const options = { by: 'name', asking: true, flags: ['--permission', 'allow'] } as const
      const { code, document, events } = await rig.run('Write it.', options)
      expect(readFileSync(file, 'utf8')).toBe('granted\n')
      expect(document).toMatchObject({ provider: agent.name, status: 'completed', denied: [] })
      expect(document.text).toBe('Written now.')
      expect(code).toBe(0)
      const asked = events.filter((event) => event.type === 'permission/requested')
      const answers = events.filter((event) => event.type === 'permission/resolved')
      expect(asked).toHaveLength(1)
      expect(answers).toHaveLength(1)
      expect(answers[0]).toMatchObject({ id: asked[0]?.['id'], by: 'policy' })
      // `allow` is for once: an answer that would hold for ever is not picked.
      const offered = asked[0]?.['options'] as readonly { optionId: string; kind: string }[]
      const once = offered.find((option) => option.kind === 'allow_once')
      expect(answers[0]?.['outcome']).toMatchObject({ outcome: 'selected', optionId: once?.optionId })
    })

    test('keeps a command from running that --permission deny denies, and names it', async () => {
      await using rig = await Rig.of(agent)
      const file = join(rig.workspace.work, 'denied.txt')
      rig.model.when('Write it.', agent.shell(`echo denied > ${file}`), { do: 'say', text: 'I may not.' })
      const options = { by: 'name', asking: true, flags: ['--permission', 'deny'] } as const
      const { code, document } = await rig.run('Write it.', options)
      expect(existsSync(file)).toBe(false)
      expect(document.denied).toHaveLength(1)
      expect(document.denied?.[0]?.title).toContain('denied.txt')
      expect(document.denied?.[0]).toMatchObject({ kind: 'execute' })
      expect(document.denied?.[0]?.flag).toContain('--permission')
      expect(document.status).toBe(agent.afterDenial.status)
      expect(code).toBe(agent.afterDenial.exit)
    })

    test("denies also where the agent's own settings don't make it ask", async () => {
      await using rig = await Rig.of(agent)
      const file = join(rig.workspace.work, 'denied.txt')
      rig.model.when('Write it.', agent.shell(`echo denied > ${file}`), { do: 'say', text: 'I may not.' })
      const { code } = await rig.run('Write it.', { by: 'name', flags: ['--permission', 'deny'] })
      expect(existsSync(file)).toBe(false)
      expect(code).toBe(agent.afterDenial.exit)
    })

    test('is cancelled by Ctrl-C in mid-turn, keeps what was said, and stops the model', async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Talk on.', { do: 'say', text: 'Once upon a time.', until: never })
      const run = rig.start('Talk on.')
      await run.event((event) => chunkOf(event).includes('Once'))
      run.kill('SIGINT')
      const { code, document, events } = await rig.end(run)
      expect(document).toMatchObject({ type: 'result', status: 'cancelled', category: 'signal' })
      expect(document.text).toContain('Once')
      expect(code).toBe(130)
      expect(events.at(-1)?.type).toBe('run/settled')
      expect(rig.model.turns('Talk on.').map((request) => request.aborted)).toEqual([true])
    })

    test('is cancelled while its tool runs, and the tool is gone too', async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Wait.', agent.shell('tail -f /dev/null'), { do: 'say', text: 'Done.' })
      const options = { by: 'name', asking: true, flags: ['--permission', 'allow'] } as const
      const run = rig.start('Wait.', options)
      await run.event((event) => event.type === 'permission/resolved')
      const running = (): boolean => rig.workspace.live().some(({ command }) => command.startsWith('tail -f'))
      await expect.poll(running, { timeout: 30_000 }).toBe(true)
      run.kill('SIGINT')
      const { code, document } = await rig.end(run)
      expect(document).toMatchObject({ status: 'cancelled', category: 'signal' })
      expect(code).toBe(130)
    })

    test('fails when the model fails after a tool has run', async () => {
      await using rig = await Rig.of(agent)
      const file = join(rig.workspace.work, 'half.txt')
      rig.model.when('Write it.', agent.shell(`echo half > ${file}`), { do: 'fail', status: 500 })
      const options = { by: 'name', asking: true, flags: ['--permission', 'allow'] } as const
      const { code, document } = await rig.run('Write it.', options)
      expect(existsSync(file)).toBe(true)
      expect(document.status).toBe('failed')
      expect(code).toBe(1)
    })
  })
}

const describeFaults = (agent: RealAgent): void => {
  describe(`the faults of ${agent.name}`, () => {
    test('never completes when the model server is down', async () => {
      await using rig = await Rig.of(agent)
      await rig.model.close()
      const { code, document } = await rig.run('Say it.')
      expect(document.type).toBe('result')
      expect(['failed', 'empty']).toContain(document.status)
      expect([1, 9]).toContain(code)
    })

    test("fails when the model's stream is cut", async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Say it.', { do: 'cut', text: 'Half of the ' })
      const { code, document } = await rig.run('Say it.')
      expect(document.status).toBe('failed')
      expect(code).toBe(1)
    })

    test('fails when the model is rate limited', async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Say it.', { do: 'fail', status: 429 })
      const { code, document } = await rig.run('Say it.')
      expect(document.status).toBe('failed')
      expect([1, 12]).toContain(code)
    })

    test('says AUTH_REQUIRED and ends with 11 when the key is wrong', async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Say it.', { do: 'say', text: 'Never said.' })
      const { code, document } = await rig.run('Say it.', { key: 'loopback-wrong-key' })
      expect(document.error).toMatchObject({ code: 'AUTH_REQUIRED', phase: 'prompt' })
      expect(code).toBe(11)
      expect(rig.model.seen).toEqual([])
    })

    test('is ended by its idle limit when the model never answers', async () => {
      await using rig = await Rig.of(agent)
      rig.model.when('Say it.', { do: 'hang' })
      const { code, document } = await rig.run('Say it.', { flags: ['--idle-timeout', '5'] })
      expect(document).toMatchObject({ status: 'timed_out', category: 'idle' })
      expect(code).toBe(3)
      expect(rig.model.turns('Say it.').map((request) => request.aborted)).toEqual([true])
    })
  })
}
