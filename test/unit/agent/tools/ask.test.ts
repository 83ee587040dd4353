/** The question tool: an approval like any other, whose outcome is the answer. */
import { expect, test } from 'vitest'
import { askTool } from '../../../../src/agent/tools/ask.ts'
import type { ApprovalDecision } from '../../../../src/agent/tools/tool.ts'
import { toolHouse } from '../../../fixtures/tool-house.ts'

test.each<[ApprovalDecision, string, boolean | undefined]>([
  ['allowed', 'Yes.', undefined],
  ['rejected', 'No. Go on without it, and say in your answer what you left undone.', true],
  ['cancelled', 'The question was cancelled before it was answered.', true],
  [
    'unavailable',
    'Nobody is there to answer. Go on without it, and say in your answer what you left undone.',
    true,
  ],
])('%s is told to the model in words', async (answer, text, isError) => {
  const { context, asked } = toolHouse({ answer })
  expect(await askTool.run({ question: 'May I?' }, context)).toEqual({
    text,
    ...(isError !== undefined && { isError }),
  })
  expect(asked).toEqual([
    { title: 'May I?', kind: 'other', reason: 'the agent asks, and goes on by the answer' },
  ])
})

test('people see the question as the title of the call', () => {
  expect(askTool.title?.({ question: 'May I?' })).toBe('May I?')
})
