/** Claude Code's questionnaire reaches a person whose client takes forms, and is not offered otherwise; with a fake one. */
import { expect, test } from 'vitest'
import type { StartOptions } from '../../src/contract/run.ts'
import type { PermissionPolicy } from '../../src/contract/request.ts'
import { claude } from '../fixtures/claude/house.ts'
import type { ClaudeHouse } from '../fixtures/claude/house.ts'
import { ALL_OFFERED, recordedClient } from '../fixtures/recorded-client.ts'

const INPUT = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'red', description: 'warm' },
        { label: 'blue', description: 'cold' },
      ],
    },
    {
      question: 'Which rooms?',
      header: 'Rooms',
      multiSelect: true,
      options: [
        { label: 'hall', description: '' },
        { label: 'attic', description: '' },
      ],
    },
  ],
}

const script = {
  turns: { Go: [{ ask: { tool: 'AskUserQuestion', input: INPUT, id: 't9' } }, { say: 'OK' }] },
}

const play = async (
  house: ClaudeHouse,
  options: StartOptions,
  permission?: PermissionPolicy,
): Promise<unknown> => {
  const prompt = [{ type: 'text' as const, text: 'Go' }]
  const request = { provider: 'claude-code', prompt, ...(permission && { permission }) }
  await (
    await house.runtime.start(request, options)
  ).result
  return house.log().findLast(({ answer }) => answer !== undefined)?.answer?.['response']
}

const refused = (house: ClaudeHouse): boolean =>
  house.starts()[0]?.some((word) => word.split(',').includes('AskUserQuestion')) === true

test('a person fills it in, under any policy, and the answers go back by the words of each question', async () => {
  for (const permission of [undefined, 'deny', 'allow'] as const) {
    const client = recordedClient(() => ({
      result: {
        action: 'accept',
        content: { 'question 1': 'blue', 'question 2': ['hall', 'attic'], 'question 2 (other)': 'the roof' },
      },
    }))
    const house = claude(script)
    expect(await play(house, { client }, permission)).toMatchObject({
      behavior: 'allow',
      updatedInput: {
        ...INPUT,
        answers: { 'Which colour?': 'blue', 'Which rooms?': 'hall, attic, the roof' },
      },
    })
    expect(refused(house)).toBe(false)
    expect(client.calls.map(({ params }) => params)).toEqual([
      {
        mode: 'form',
        message: 'Claude Code asks:',
        toolCallId: 't9',
        requestedSchema: {
          type: 'object',
          properties: {
            'question 1': {
              type: 'string',
              title: 'Colour',
              description: 'Which colour?',
              oneOf: [
                { const: 'red', title: 'red', description: 'warm' },
                { const: 'blue', title: 'blue', description: 'cold' },
              ],
            },
            'question 1 (other)': {
              type: 'string',
              title: 'Something else',
              description: 'Which colour?',
            },
            'question 2': {
              type: 'array',
              title: 'Rooms',
              description: 'Which rooms?',
              items: {
                anyOf: [
                  { const: 'hall', title: 'hall' },
                  { const: 'attic', title: 'attic' },
                ],
              },
            },
            'question 2 (other)': {
              type: 'string',
              title: 'Something else',
              description: 'Which rooms?',
            },
          },
        },
      },
    ])
  }
})

test('a person who turns it down leaves the model to go on by itself', async () => {
  for (const action of ['decline', 'cancel']) {
    const client = recordedClient(() => ({ result: { action } }))
    expect(await play(claude(script), { client })).toMatchObject({ behavior: 'deny' })
  }
})

test('it is not offered where nobody takes forms, and refused if it is called all the same', async () => {
  const offer = { ...ALL_OFFERED, elicitation: { form: false, url: true } }
  const none = recordedClient(() => ({ result: { action: 'accept' } }), { offer })
  for (const options of [{}, { client: none }]) {
    const house = claude(script)
    expect(await play(house, options, 'allow')).toMatchObject({ behavior: 'deny' })
    expect(refused(house)).toBe(true)
  }
  expect(none.calls).toEqual([])
})
