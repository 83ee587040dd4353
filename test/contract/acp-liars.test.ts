/** A liar that sits between the gateway and a real agent process is caught as well. */
import { expect, test } from 'vitest'
import type { CapabilityId } from '../../src/contract/capabilities.ts'
import { verify } from '../../src/conformance/index.ts'
import type { ProviderFixture } from '../../src/conformance/index.ts'
import { lyingProvider } from '../../src/testing/index.ts'
import { wholeAcpAgent } from '../fixtures/conformance/acp.ts'

const lying = (row: CapabilityId): ProviderFixture => ({
  ...wholeAcpAgent,
  create: async (place, cue, store) => {
    const subject = await wholeAcpAgent.create(place, cue, store)
    return {
      provider: lyingProvider(row, subject.provider),
      [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
    }
  },
})

test.each(['persona', 'permissions', 'images', 'mcpServers', 'model', 'resume', 'fork'] as const)(
  'an ACP agent whose %s is ignored on the way is caught',
  async (row) => {
    await expect(verify(`capability/${row}/honoured`, lying(row))).rejects.toMatchObject({
      name: 'ConformanceFailure',
    })
  },
)
