/** The model of a built-in agent: inherited by a child, and its own from then on (B9.1). */
import { expect, test } from 'vitest'
import type { AgentModel } from '../../../src/agent/models/model.ts'
import { loadModel } from '../../../src/agent/models/model.ts'
import type { Deployment } from '../../../src/providers/in-process/deployment.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { codeOf, text } from '../../fixtures/house.ts'
import { agents, delegate } from '../../fixtures/in-process.ts'
import type { Agents } from '../../fixtures/in-process.ts'

/** Any name is the rehearsal model under that name. */
const named =
  (loaded: string[]): Deployment['loadModel'] =>
  async (ref): Promise<AgentModel> => {
    loaded.push(ref)
    return { ...(await loadModel('rehearsal', { env: {} })), ref }
  }

const modelsOf = ({ ids, store }: Agents): readonly (string | undefined)[] =>
  ids.map((id) => store.get(id)?.registers.descriptor?.model)

test('B9.1: the descriptor of a child holds the model that it inherited; that of a root only one that was asked for', async () => {
  const loaded: string[] = []
  await using home = agents({ deployment: { loadModel: named(loaded) } })
  await home.play(delegate('subagent', delegate('clone', 'say: done')), { model: 'm-7' })
  await home.play(delegate('subagent', 'say: done'))
  expect(loaded).toEqual(['m-7', 'm-7', 'm-7', 'rehearsal', 'rehearsal'])
  expect(modelsOf(home)).toEqual(['m-7', 'm-7', 'm-7', undefined, 'rehearsal'])
})

test('B9.1: a child that is taken up without its parent goes on with it, whatever the deployment names now', async () => {
  const store = memoryStore()
  const loaded: string[] = []
  const deployment = { loadModel: named(loaded) }
  await using before = agents({ store, deployment })
  const { sessionId: parent } = await before.play('say: ready', { model: 'm-7', keep: true })
  const child = await before.play('say: ready', { parent: { sessionId: parent }, keep: true })
  await before.runtime[Symbol.asyncDispose]()
  await using after = agents({ store, deployment: { ...deployment, model: 'another' } })
  await after.play('say: done', { session: { from: 'resume', sessionId: child.sessionId } })
  expect(loaded).toEqual(['m-7', 'm-7', 'm-7'])
})

test('a start without any model is refused by a dry run too', async () => {
  await using home = agents({ deployment: { model: undefined as never } })
  const request = { provider: 'spawn', prompt: text('say: done') }
  expect(await codeOf(home.runtime.check(request))).toBe('INVALID_REQUEST')
  expect(await codeOf(home.runtime.start(request))).toBe('INVALID_REQUEST')
  await home.runtime.check({ ...request, model: 'rehearsal' })
  expect(home.ids).toEqual([])
})
