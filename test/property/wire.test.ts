/** Whatever comes in, the peer stands and settles only what is named. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SubagentError } from '../../src/contract/errors.ts'
import { JsonRpcPeer } from '../../src/wire/peer.ts'

const connect = (lenient: boolean) => {
  const sent: string[] = []
  const settled: number[] = []
  const peer = new JsonRpcPeer({
    write: (line) => sent.push(line),
    request: () => ({}),
    notification: () => {},
    diagnostic: () => {},
    maxBytes: 200,
    lenient,
  })
  const requests = [0, 1].map((id) =>
    peer.request('m', {}, { onReply: () => settled.push(id) }).catch((error: unknown) => error),
  )
  return { peer, sent, settled, requests }
}

const names = (value: unknown, id: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value as { id?: unknown }).id === id &&
  ('result' in value || 'error' in value) &&
  !('method' in value)

const id = fc.oneof(fc.constantFrom(0, 1, 2, 0.5, '0', null, 'x'), fc.anything())
const envelope = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id,
    method: fc.constantFrom('a', '$/cancel_request', 3),
    params: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.integer(), message: fc.string() })),
    ['__proto__']: fc.jsonValue(),
    constructor: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const line = fc.oneof(fc.jsonValue(), envelope).map((value) => {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // A generated value with a BigInt in it has no JSON.
    return 'null'
  }
})

test('random JSON never throws and settles no request that it does not name', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.boolean(), async (lines, lenient) => {
      const { peer, settled, requests } = connect(lenient)
      const named = [0, 1].filter((ours) => lines.some((json) => names(JSON.parse(json), ours)))
      peer.receive(Buffer.from(`${lines.join('\n')}\n`))
      expect(named).toEqual(expect.arrayContaining(settled))
      peer.close(new SubagentError('CLOSED', 'prompt', 'over', {}))
      await Promise.all(requests)
      expect(peer.open.ours).toBe(0)
    }),
    { numRuns: 500 },
  )
})

test('random bytes never throw, settle nothing, and are answered by nothing but batch errors', () => {
  const byte = fc.oneof(fc.constantFrom(...Buffer.from('{}[]":,\n0')), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }),
      fc.array(byte),
      (chunks, more) => {
        const { peer, settled, sent } = connect(true)
        for (const chunk of [...chunks, Uint8Array.from(more)]) peer.receive(chunk)
        peer.end()
        expect(settled).toEqual([])
        expect(peer.open.ours).toBe(2)
        for (const answer of sent.slice(2)) expect(answer).toContain('"id":null')
      },
    ),
    { numRuns: 500 },
  )
})
