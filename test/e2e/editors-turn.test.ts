/** The conversations of known editors, replayed on the built program: from the first message to how they leave. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { Rig, until } from './cli-rig.ts'
import { EditorClient } from './editor-client.ts'
import { EDITORS } from './editor-profiles.ts'
import type { EditorProfile } from './editor-profiles.ts'

/** What a sandbox keeps from being written is asked for. */
const SPAWN = ['--provider', 'spawn', '--model', 'rehearsal', '--sandbox', 'read-only']

const withFake = (rig: Rig, script: readonly FakeStep[]): readonly string[] => {
  const { command, args } = fakeAgentCommand(script)
  rig.configure({ providers: { fake: { command: [command, ...args] } } })
  return ['--provider', 'fake']
}

const byName = EDITORS.map((profile) => [profile.name, profile] as const)

describe.each(byName)('%s', (_name, profile: EditorProfile) => {
  test('on the built-in agent: a file is written once its user allows it, and the turn is told in order', async () => {
    await using rig = new Rig()
    await using client = new EditorClient(profile, rig, { args: SPAWN })
    const { session } = await client.open({ cwd: rig.work, mcpServers: [] })
    const file = join(rig.work, 'a.txt')
    const { result } = await client.prompt(
      session.sessionId,
      `think: I write it.\ncall write: ${JSON.stringify({ path: file, content: 'hello\n' })}\nsay: It is written.`,
    )
    expect(result?.stopReason).toBe('end_turn')
    expect(readFileSync(file, 'utf8')).toBe('hello\n')
    expect(client.said()).toBe('It is written.')
    const [call] = client.updates('tool_call')
    const shown = Object.assign({}, call, ...client.updates('tool_call_update'))
    expect(shown).toMatchObject({
      kind: 'edit',
      status: 'completed',
      locations: [{ path: file }],
      content: [{ type: 'diff', path: file, newText: 'hello\n' }],
    })
    const kinds = client.updates().map(({ sessionUpdate }) => sessionUpdate as string)
    expect(kinds.indexOf('agent_thought_chunk')).toBeLessThan(kinds.indexOf('tool_call'))
    expect(kinds.indexOf('tool_call')).toBeLessThan(kinds.lastIndexOf('agent_message_chunk'))
    expect(client.messages.filter(({ method }) => method === 'session/request_permission')).toHaveLength(1)
    expect(client.messages.at(-1)?.result?.stopReason).toBe('end_turn')
    expect(client.faults).toEqual([])
  })

  test('on an agent of its own process: updates and two turns of one conversation', async () => {
    await using rig = new Rig()
    const args = withFake(rig, [
      ...acpHandshake(),
      ...acpTurn(['one {prompt}']),
      ...acpTurn([' two {prompt}']),
    ])
    await using client = new EditorClient(profile, rig, { args })
    const { session } = await client.open({ cwd: rig.work, mcpServers: [] })
    for (const words of ['a', 'b'])
      expect((await client.prompt(session.sessionId, words)).result?.stopReason).toBe('end_turn')
    expect(client.said()).toBe('one a two b')
    expect(client.faults).toEqual([])
  })

  test('stop while a permission waits: the turn ends as cancelled, and the next one works', async () => {
    await using rig = new Rig()
    await using client = new EditorClient(profile, rig, { args: SPAWN, permits: 'nothing' })
    const { session } = await client.open({ cwd: rig.work, mcpServers: [] })
    const { sessionId } = session
    const turn = client.prompt(sessionId, 'call write: {"path": "b.txt", "content": "x"}')
    const question = await client.until(({ method }) => method === 'session/request_permission', 'a question')
    client.notify('session/cancel', { sessionId })
    client.send({ id: question.id, result: { outcome: { outcome: 'cancelled' } } })
    expect((await turn).result?.stopReason).toBe('cancelled')
    expect((await client.prompt(sessionId, 'say: Again.')).result?.stopReason).toBe('end_turn')
    expect(client.said()).toContain('Again.')
    expect(client.faults).toEqual([])
  })

  test('C14: however it leaves in the middle of a turn, no process is left', async () => {
    await using rig = new Rig()
    const args = withFake(rig, [
      { ignore: ['SIGTERM', 'eof', 'cancel'] },
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { grandchild: { detached: true, ignore: ['SIGTERM'] } },
      { say: 'busy' },
      { hang: true },
    ])
    const client = new EditorClient(profile, rig, { args })
    const { session } = await client.open({ cwd: rig.work, mcpServers: [] })
    void client.prompt(session.sessionId, 'work').catch(() => {})
    await client.until(({ params }) => params?.update?.content?.text === 'busy', 'a sign of work')
    expect(rig.left().length).toBeGreaterThan(2)
    await client.leave()
    await until(() => rig.left().length === 0)
    expect(client.faults).toEqual([])
  })
})
