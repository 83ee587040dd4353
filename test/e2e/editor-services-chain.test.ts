/** Law 10: an editor's services through a gateway behind the gateway. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { PROGRAM } from './built.ts'
import { Rig } from './cli-rig.ts'
import { sdkEditor } from './sdk-editor.ts'
import { ask, EVERYTHING, FORM, withFake } from './services-script.ts'

const PROVIDER_ENTRY: string = join(import.meta.dirname, '../../src/provider.ts')

test('law 10: through a gateway behind the gateway all of it is the same', async () => {
  await using rig = new Rig()
  const path = join(rig.work, 'unsaved.ts')
  withFake(rig, [
    ...acpHandshake(),
    ...acpTurn([
      ask('fs/read_text_file', { path }),
      '{answer}',
      ask('terminal/create', { command: 'npm' }),
      '{answer}',
      ask('elicitation/create', { ...FORM, _meta: { a: 1 } }),
      '{answer}',
    ]),
  ])
  await using editor = await sdkEditor(rig, {
    args: ['--', process.execPath, PROGRAM, 'acp', '--provider', 'fake'],
    capabilities: EVERYTHING,
    buffers: { [path]: 'not on disk' },
    answers: () => ({ action: 'accept', content: { branch: 'main' } }),
  })
  const sessionId = await editor.open()
  await editor.prompt(sessionId, 'go')
  const said = editor.updates().flatMap(({ content }) => content?.text ?? [])
  expect(said.join('')).toContain('not on disk')
  expect(said.join('')).toContain('"terminalId":"editor-1"')
  expect(said.join('')).toContain('"branch":"main"')
  expect(editor.of('elicitation/create')).toMatchObject([{ ...FORM, _meta: { a: 1 } }])
  const [{ env }] = editor.of('terminal/create')
  expect(env.filter(({ name }: { name: string }) => name === 'SUBGATE_LINEAGE')).toHaveLength(1)
})

test('what a subagent of the gateway behind asks arrives once, and says whose it is', async () => {
  await using rig = new Rig()
  const { command, args } = fakeAgentCommand([
    ...acpHandshake(),
    ...acpTurn([ask('elicitation/create', FORM), '{answer}']),
  ])
  const boss = rig.write(
    'boss.mjs',
    `import { defineProvider } from ${JSON.stringify(PROVIDER_ENTRY)}
export const provider = defineProvider({
  name: 'boss',
  capabilities: { permissions: 'native', resume: 'native' },
  run: async ({ prompt }, { delegation }) => {
    const run = await delegation.start({ provider: 'fake', prompt, label: 'ask it' })
    return (await run.result).text
  },
})`,
  )
  const providers = { fake: { command: [command, ...args] }, boss: { module: boss } }
  rig.configure({ providers, subagent: { maxDepth: 3 } })
  await using editor = await sdkEditor(rig, {
    args: ['--', process.execPath, PROGRAM, 'acp', '--provider', 'boss'],
    capabilities: { ...EVERYTHING, subagents: {} },
    answers: () => ({ action: 'accept', content: { branch: 'main' } }),
  })
  const sessionId = await editor.open()
  expect(await editor.prompt(sessionId, 'go')).toMatchObject({ stopReason: 'end_turn' })
  const asked = editor.of('elicitation/create')
  expect(asked).toHaveLength(1)
  const known = editor.updates().flatMap((update) => update.sessionId ?? [])
  expect([sessionId, ...known]).toContain(asked[0].sessionId)
  expect(asked[0].message).toMatch(/ask it: Which branch\?$/u)
  expect(editor.said(sessionId)).toContain('"branch":"main"')
})

test('the built-in agent answers behind a gateway behind the gateway, which asks for no policy of its own', async () => {
  await using rig = new Rig()
  await using editor = await sdkEditor(rig, {
    args: ['--', process.execPath, PROGRAM, 'acp', '--provider', 'spawn', '--model', 'rehearsal'],
    capabilities: EVERYTHING,
  })
  const sessionId = await editor.open()
  expect((await editor.prompt(sessionId, 'go')).stopReason).toBe('end_turn')
  expect((await editor.prompt(sessionId, 'and on')).stopReason).toBe('end_turn')
})
