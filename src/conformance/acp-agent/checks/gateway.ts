/** Checks of a gateway that was put before the probe agent: what it lets through, in both directions. */
import { isRecord } from '../../../contract/json.ts'
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { textIn } from '../message.ts'
import { endsWell, textBlock } from '../scene.ts'
import type { Checks } from '../scene.ts'

const COUNT = 500
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

const saidIn = (conversation: Conversation, sessionId: string): string =>
  textIn(
    conversation.updates().filter((one) => one.sessionId === sessionId),
    'agent_message_chunk',
  )

const prompt = (
  conversation: Conversation,
  sessionId: string,
  words: string,
  more: object = {},
): Promise<unknown> => endsWell(conversation, sessionId, [textBlock(words)], more)

export const GATEWAY: Checks = {
  'SUBGATE-GATEWAY-001': async (scene) => {
    const { conversation, sessionId } = await scene.opened({ fs: { readTextFile: true } })
    await prompt(conversation, sessionId, 'capabilities')
    const said = saidIn(conversation, sessionId)
    const offered: unknown = JSON.parse(said.slice(said.indexOf('{')))
    const { fs, terminal, elicitation } = isRecord(offered) ? offered : {}
    const writes = isRecord(fs) && fs['writeTextFile'] === true
    const more = writes || terminal === true || isRecord(elicitation)
    hold(!more, 'no more than fs.readTextFile', shown(offered))
  },
  'SUBGATE-GATEWAY-002': async (scene) => {
    const { conversation, sessionId: one } = await scene.opened()
    const other = await scene.session(conversation)
    await Promise.all([
      prompt(conversation, one, 'echo alpha, then ask'),
      prompt(conversation, other, 'echo beta, then ask'),
    ])
    for (const [id, own] of [
      [one, 'alpha[y]'],
      [other, 'beta[y]'],
    ] as const)
      hold(saidIn(conversation, id) === own, `${own} on ${id}`, shown(saidIn(conversation, id)))
    const asked = conversation
      .requests()
      .map(({ params }) => (isRecord(params) ? params['sessionId'] : params))
    hold(
      asked.toSorted().join() === [one, other].toSorted().join(),
      'a question of each session',
      shown(asked),
    )
  },
  'SUBGATE-GATEWAY-003': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`
    await prompt(conversation, sessionId, 'meta', { _meta: { traceparent } })
    const said = saidIn(conversation, sessionId)
    hold(said.includes(TRACE_ID), `the trace ${TRACE_ID} at the agent`, shown(said))
    const carried = conversation.updates().map(({ update }) => update['_meta'])
    const kept = carried.some(
      (meta) => isRecord(meta) && isRecord(meta['probe']) && meta['probe']['deep'] === 'kept',
    )
    hold(kept, "the agent's _meta in its update", shown(carried))
  },
  'SUBGATE-GATEWAY-004': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    const answer = await endsWell(conversation, sessionId, [textBlock(`count ${COUNT}`)])
    const expected = Array.from({ length: COUNT }, (_, number) => `${number} `).join('')
    const late = conversation.updates(conversation.heard.indexOf(answer)).length
    const said = saidIn(conversation, sessionId)
    hold(said === expected, `${COUNT} numbers in order`, said === '' ? 'nothing' : shown(said.slice(-200)))
    hold(late === 0, 'all of them before the response', `${late} behind it`)
  },
}
