/** `subgate acp --agent`: a preset for every session of the editor, at its first prompt and at later ones. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Editor } from './acp-editor.ts'

const PRESET = '---\nname: mine\nmodel: rehearsal\ntools: Read\n---\nAnswer in one word.\n'

/** `model` is what configuration has for tasks in general: a service that can't be asked here. */
const editor = (agent: string): Editor => {
  const opened = new Editor({
    args: ['--provider', 'spawn', '--agent', agent],
    config: { model: 'anthropic/nothing' },
    env: { ANTHROPIC_API_KEY: '' },
  })
  writeFileSync(join(opened.dir, 'mine.md'), PRESET)
  return opened
}

test('the preset of a file composes each session, and its model stays that of every later prompt', async () => {
  await using it = editor('./mine.md')
  const session = await it.open()
  const first = await it.prompt(session, 'what do you see?')
  expect(first.result).toMatchObject({ stopReason: 'end_turn' })
  expect(it.said()).toMatch(/^tools: read$/mu)
  for (const words of ['say: again', 'say: and again']) {
    const { result, error } = await it.prompt(session, words)
    expect({ error, reason: result?.stopReason }).toEqual({ error: undefined, reason: 'end_turn' })
  }
  expect(it.said()).toContain('and again')
})

test('a name that no preset has is refused when a session is opened, with the known ones', async () => {
  await using it = editor('nope')
  await it.initialize()
  const { error } = await it.request('session/new', { cwd: it.dir, mcpServers: [] })
  expect(error?.data).toMatchObject({ code: 'PRESET_NOT_FOUND', data: { preset: 'nope' } })
})
