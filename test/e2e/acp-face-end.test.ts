/** How `subgate acp` ends: the editor goes, or a signal comes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake } from '../../src/testing/fake-agent.ts'
import { Editor, fakeEditor, isAlive } from './acp-editor.ts'

const leave = async (editor: Editor, how: () => void): Promise<unknown[]> => {
  const at = Date.now()
  how()
  const ended = await editor.exited
  expect(Date.now() - at).toBeLessThan(5000)
  expect(editor.stderr).not.toContain('EPIPE')
  expect(editor.stderr).not.toContain('    at ')
  return ended
}

describe('C14: the editor goes, or the gateway is ended', () => {
  test('stdin closed: the provider has cleaned up, exit 0', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    void editor.prompt(sessionId, 'hang').catch(() => {})
    await editor.until(({ params }) => params?.update?.content?.text === 'hanging')
    expect(await leave(editor, () => editor.process.stdin.end())).toEqual([0, null])
    expect(existsSync(join(editor.dir, 'cleaned-up'))).toBe(true)
  })

  test('stdout closed, then an update: the provider has cleaned up, exit 0, no stack trace', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'hello')
    const ended = await leave(editor, () => {
      editor.process.stdout.destroy()
      editor.send({
        id: 'unheard',
        method: 'session/prompt',
        params: { sessionId, prompt: [{ type: 'text', text: 'count' }] },
      })
    })
    expect(ended).toEqual([0, null])
    expect(existsSync(join(editor.dir, 'cleaned-up'))).toBe(true)
  })

  test('SIGTERM: the provider has cleaned up, exit 143', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    void editor.prompt(sessionId, 'hang').catch(() => {})
    await editor.until(({ params }) => params?.update?.content?.text === 'hanging')
    expect(await leave(editor, () => editor.process.kill('SIGTERM'))).toEqual([143, null])
    expect(existsSync(join(editor.dir, 'cleaned-up'))).toBe(true)
  })

  test('stdin closed with two live agents, one of them stubborn: no process is left', async () => {
    await using editor = fakeEditor([
      { ignore: ['SIGTERM', 'eof', 'cancel'] },
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { dump: ['pid'] },
      { hang: true },
    ])
    const sessions = [await editor.open(), await editor.session()]
    for (const sessionId of sessions) void editor.prompt(sessionId, 'go').catch(() => {})
    await editor.when(() => editor.updates().length === 2)
    const pids = editor.updates().map(({ params }) => JSON.parse(params.update.content.text).pid as number)
    expect(pids.map(isAlive)).toEqual([true, true])
    expect(await leave(editor, () => editor.process.stdin.end())).toEqual([0, null])
    expect(pids.map(isAlive)).toEqual([false, false])
  })
})
