/** The tree below an editor's session: nested permission requests, policy in a person's place, gateways in a row. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { choose, Editor, MAIN, pause, subgateOf } from './acp-editor.ts'

const chained = async (
  words: string,
  maxDepth: number,
): Promise<{ status?: string; text?: string; error?: { code: string } }> => {
  await using house = new Editor({ config: { subagent: { maxDepth } } })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, 'run', words, '--json', '--', process.execPath, MAIN, 'acp', '--provider', 'fixture'],
    { cwd: house.dir, env: { ...process.env, XDG_CONFIG_HOME: join(house.dir, 'config') } },
  ).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as { status?: string; text?: string; error?: { code: string } }
}

describe('C28: nested permission', () => {
  test("comes once, on the root's session, with its path and the original options; two at once don't mix", async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    const prompted = editor.prompt(sessionId, 'descend a b c,d')
    await editor.when(() => editor.asked().length === 2)
    const asked = editor.asked()
    expect(asked.map(({ params }) => params.sessionId)).toEqual([sessionId, sessionId])
    const paths = asked.map(({ params }) => subgateOf(params).path.join('/') as string)
    expect(paths.toSorted()).toEqual(['a/b/c', 'a/b/d'])
    for (const [index, { id, params }] of asked.entries()) {
      expect(params.toolCall.title).toBe(`${paths[index]}: edit a file`)
      expect(params.options.map((option: { optionId: string }) => option.optionId)).toEqual(['y', 'n'])
      const optionId = paths[index] === 'a/b/c' ? 'y' : 'n'
      editor.send({ id, result: { outcome: { outcome: 'selected', optionId } } })
    }
    expect((await prompted).result.stopReason).toBe('end_turn')
    expect(editor.said()).toBe('(a(b(c[y] d[n])))')
    expect(editor.asked()).toHaveLength(2)
    expect(new Set(editor.updates().map(({ params }) => params.sessionId))).toEqual(new Set([sessionId]))
  })

  test('under allow-reads policy answers the reads, and the editor is asked about the rest', async () => {
    await using editor = new Editor({
      args: ['--provider', 'fixture', '--permission', 'allow-reads'],
      answer: choose('n'),
    })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'read')
    expect(editor.asked()).toHaveLength(0)
    await editor.prompt(sessionId, 'edit')
    expect(editor.asked()).toHaveLength(1)
    expect(editor.said()).toBe('[y][n]')
  })
})

describe('C30: an editor that answers no permission requests', () => {
  test('-32601: policy answers at once, and later requests of that session are not asked', async () => {
    await using editor = new Editor({
      answer: () => ({ error: { code: -32601, message: 'Method not found' } }),
    })
    const sessionId = await editor.open()
    const { result } = await editor.prompt(sessionId, 'thrice')
    expect(editor.said()).toBe('[n][n][n]')
    expect(subgateOf(result).denied).toHaveLength(3)
    expect(editor.asked()).toHaveLength(1)
    await editor.prompt(sessionId, 'edit')
    expect(editor.asked()).toHaveLength(1)
  })

  test('permissionTimeoutMs 250: policy answers then, and the request is withdrawn', async () => {
    await using editor = new Editor({ config: { permissionTimeoutMs: 250 } })
    const sessionId = await editor.open()
    const at = Date.now()
    await editor.prompt(sessionId, 'edit')
    expect(Date.now() - at).toBeGreaterThanOrEqual(240)
    expect(editor.said()).toBe('[n]')
    await editor.until(({ method }) => method === '$/cancel_request')
  })

  test('no time limit by default, and a pending request keeps nobody alive after the editor left', async () => {
    await using editor = new Editor({ config: { permissionTimeoutMs: 3_000_000_000 } })
    const sessionId = await editor.open()
    void editor.prompt(sessionId, 'edit').catch(() => {})
    await editor.until(({ method }) => method === 'session/request_permission')
    await pause(1000)
    expect(editor.said()).toBe('')
    expect(editor.stderr).not.toContain('TimeoutOverflowWarning')
    expect(await editor.leave()).toEqual([0, null])
  })
})

describe('law 10 and B2.7: a gateway behind a gateway', () => {
  test('the sessions of the inner one are children: at maxDepth 3 it delegates two levels', async () => {
    expect(await chained('descend a b', 3)).toMatchObject({
      status: 'completed',
      text: '(a(b[n]))',
      denied: [{ title: 'edit a file', kind: 'edit', flag: '--permission allow' }],
    })
  })

  test('at maxDepth 1 it delegates none, and the typed error arrives as it is', async () => {
    expect(await chained('descend a', 1)).toMatchObject({
      status: 'failed',
      error: { code: 'DEPTH_EXCEEDED', phase: 'depth', data: { attempted: 2, max: 1 } },
    })
  })
})
