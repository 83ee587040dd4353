/** What the library promises to those who write against it. */
import { expectTypeOf } from 'vitest'
import { createSubgate, defineProvider } from '../../src/index.ts'
import type { RunOptions, Subgate, SubagentProvider, SubagentResult, SubagentRun } from '../../src/index.ts'

expectTypeOf(createSubgate).returns.resolves.toEqualTypeOf<Subgate>()
expectTypeOf<Subgate['run']>().returns.resolves.toEqualTypeOf<SubagentResult>()
expectTypeOf<Subgate['start']>().returns.resolves.toEqualTypeOf<SubagentRun>()
expectTypeOf<Subgate>().toExtend<AsyncDisposable>()
expectTypeOf<RunOptions>().not.toHaveProperty('prompt')

expectTypeOf(defineProvider).returns.toEqualTypeOf<SubagentProvider>()
defineProvider({ name: 'text', run: async ({ text }) => text })
defineProvider({ name: 'streamed', run: (_, turn) => turn.say('Hello.') })
defineProvider({ name: 'outcome', run: () => ({ ended: 'truncated', category: 'max_turns' }) })
// @ts-expect-error a truncation says what cut it off
defineProvider({ name: 'vague', run: () => ({ ended: 'truncated' }) })
// @ts-expect-error no such row
defineProvider({ name: 'odd', run: () => 'x', capabilities: { modle: 'native' } })
