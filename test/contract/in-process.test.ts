/** The conformance suite over the built-in agent, as both of its providers. */
import { expect, test } from 'vitest'
import { describeProvider } from '../../src/conformance/vitest.ts'
import { inProcessProvider } from '../../src/providers/in-process/provider.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import { builtIn } from '../fixtures/conformance/in-process.ts'
import { deploymentOn } from '../fixtures/in-process.ts'

describeProvider('spawn', builtIn('spawn'))

describeProvider('fork', builtIn('fork'))

test.each(['spawn', 'fork'] as const)('%s claims what the agent itself does, and no more', (name) => {
  const { capabilities, negotiated } = inProcessProvider(name, deploymentOn(memoryStore(), '/nowhere'))
  expect(capabilities).toEqual({
    depthLimit: 'native',
    persona: 'native',
    toolFilter: 'native',
    sandbox: 'native',
    permissions: 'native',
    outputSchema: 'native',
    images: 'native',
    audio: 'native',
    resources: 'native',
    additionalDirectories: 'native',
    model: 'native',
    effort: 'native',
    mcpServers: 'none',
    resume: 'native',
    fork: 'native',
    steer: 'native',
    maxTurns: 'native',
    maxTokens: 'native',
    maxCostUsd: 'none',
  })
  expect(negotiated).toEqual(['images', 'audio', 'resources', 'effort'])
})
