/** What an agent lets a person choose is known to the editor as soon as the agent has told it. */
import { expect, test } from 'vitest'
import type { AgentOffer } from '../../src/contract/offer.ts'
import { faceClient } from '../fixtures/face-client.ts'
import { house } from '../fixtures/house.ts'
import { puppet } from '../fixtures/puppet.ts'

const models: AgentOffer['models'] = [{ value: 'big', name: 'Big' }]

test('models that an agent lists while its first turn runs are options of the chat when that is answered, and go with the next', async () => {
  let offer: AgentOffer = {}
  const own = puppet({
    play: async () => {
      offer = { models }
      return { ended: 'completed' }
    },
  })
  await using home = house({ puppet: { ...own, offer: () => offer } })
  await using client = await faceClient(home, {})
  const { result } = await client.request('session/new', { cwd: '/', mcpServers: [] })
  const { sessionId, configOptions } = result
  const ids = (options: readonly { id: string }[]): readonly string[] => options.map(({ id }) => id)
  expect(ids(configOptions)).not.toContain('model')
  const id = client.send('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'one' }] })
  await client.answer(id)
  const updates = client.updates().filter(({ update }) => update.sessionUpdate === 'config_option_update')
  expect(updates).toHaveLength(1)
  const shown = updates.flatMap(({ update }) => update.configOptions).find(({ id: name }) => name === 'model')
  expect(shown).toMatchObject({ category: 'model', currentValue: 'default' })
  const told = client.got.findIndex(({ params }) => params?.update?.sessionUpdate === 'config_option_update')
  expect(told).toBeLessThan(client.got.findIndex((message) => message.id === id))
  await client.request('session/set_config_option', { sessionId, configId: 'model', value: 'big' })
  await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'two' }] })
  expect(own.requests.map(({ model }) => model)).toEqual([undefined, 'big'])
})
