/** Signals to `subgate acp`: one before it is ready, and a second one while it ends. */
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acpHandshake } from '../../src/testing/fake-agent.ts'
import { Editor, fakeEditor, isAlive } from './acp-editor.ts'

test('a signal while a provider module is still loading ends it at once', async () => {
  const module = join(tmpdir(), `subgate-slow-${crypto.randomUUID()}.mjs`)
  onTestFinished(() => rmSync(module, { force: true }))
  writeFileSync(
    module,
    "process.stderr.write('loading\\n')\nawait new Promise(() => setInterval(() => {}, 1000))\n",
  )
  await using editor = new Editor({ providers: { slow: { module } } })
  await editor.when(() => editor.stderr.includes('loading'))
  const at = Date.now()
  editor.process.kill('SIGTERM')
  expect(await editor.exited).toEqual([143, null])
  expect(Date.now() - at).toBeLessThan(3000)
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a second %s ends everything at once, as that signal', async (signal, code) => {
  await using editor = fakeEditor(
    [
      { ignore: ['SIGTERM', 'eof', 'cancel'] },
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { dump: ['pid'] },
      { hang: true },
    ],
    {},
    { eofMs: 20_000, cancelMs: 20_000 },
  )
  const sessionId = await editor.open()
  void editor.prompt(sessionId, 'go').catch(() => {})
  await editor.when(() => editor.updates().length === 1)
  const [pid = 0] = editor.updates().map(({ params }) => JSON.parse(params.update.content.text).pid as number)
  const at = Date.now()
  editor.process.kill(signal)
  await new Promise((resolve) => setTimeout(resolve, 300))
  editor.process.kill(signal)
  expect(await editor.exited).toEqual([code, null])
  expect(Date.now() - at).toBeLessThan(3000)
  await editor.when(() => !isAlive(pid))
})
