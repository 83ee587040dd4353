/** The conformance suite over the providers that need no process. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { plainFunction, richFunction } from '../fixtures/conformance/function.ts'
import { scriptedFixture } from '../fixtures/conformance/scripted.ts'

describeProvider(
  'a scripted provider that claims everything',
  scriptedFixture(() => scriptedProvider({ capabilities: 'all' })),
)

describeProvider(
  'a scripted provider that claims nothing',
  scriptedFixture(() => scriptedProvider({ capabilities: 'none' })),
)

describeProvider('a function that claims nothing', plainFunction)

describeProvider('a function with a model, a memory and an ear', richFunction)
