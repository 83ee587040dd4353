/** docs/rehearsal.md: each of its scripts is played, and answers as the page says. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rehearsalModel } from '../../../../src/agent/models/rehearsal.ts'
import { hear, user } from '../../../fixtures/models/rig.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/rehearsal.md'), 'utf8')
const EXAMPLE = /^```rehearsal\n(?<script>[\s\S]*?)\n```\n\n```answer\n(?<answer>[\s\S]*?)\n```$/gmu
const examples = [...page.matchAll(EXAMPLE)].map(({ groups = {} }) => ({
  script: groups['script'] ?? '',
  answer: groups['answer'] ?? '',
}))

const tool = (name: string) => ({ type: 'function' as const, name, inputSchema: {} })

/** Plays it to its end, with a result for each call and one more try after a failure. */
const transcript = async (script: string): Promise<string> => {
  const model = rehearsalModel()
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: '# role\n\n# style' }, user(script)]
  const lines: string[] = []
  for (let tries = 0; tries < 9; tries += 1) {
    const heard = await hear(model, { prompt, tools: ['read', 'glob', 'subagent'].map(tool) })
    if (heard.thoughts !== '') lines.push(`thought: ${heard.thoughts}`)
    if (heard.pieces.length > 0) lines.push(`text: ${heard.pieces.join('')}`)
    const { statusCode, message } = (heard.error ?? {}) as { statusCode?: number; message?: string }
    if (heard.error !== undefined)
      lines.push(statusCode === undefined ? `error: ${message}` : `failed: ${statusCode} ${message}`)
    if (heard.finish !== undefined && !['stop', 'tool-calls'].includes(heard.finish))
      lines.push(`ended: ${heard.finish}`)
    lines.push(...heard.calls.map((call) => `call: ${call.tool} ${call.input}`))
    if (statusCode !== undefined) continue
    if (heard.calls.length === 0) break
    const calls = heard.calls.map(({ id, tool: toolName }) => ({ toolCallId: id, toolName }))
    prompt.push(
      { role: 'assistant', content: calls.map((call) => ({ type: 'tool-call', ...call, input: {} })) },
      {
        role: 'tool',
        content: calls.map((call) => ({
          type: 'tool-result',
          ...call,
          output: { type: 'text', value: `(result of ${call.toolName})` },
        })),
      },
    )
  }
  return lines.join('\n')
}

test('the page has its examples', () => {
  expect(examples.length).toBe(7)
  expect(page.split('```rehearsal').length - 1).toBe(examples.length)
})

test.each(examples)('the page says what becomes of: $script', async ({ script, answer }) => {
  expect(await transcript(script)).toBe(answer)
})
