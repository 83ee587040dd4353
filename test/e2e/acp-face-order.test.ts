/** Order and back-pressure at the ACP face. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { Editor, fakeEditor, pause } from './acp-editor.ts'

describe('C09: order of updates and responses', () => {
  test('a thousand chunks arrive in order and all before the response, at a slow reader', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    const slow = setInterval(() => {
      editor.process.stdout.pause()
      setTimeout(() => editor.process.stdout.resume(), 5)
    }, 10)
    const { result } = await editor.prompt(sessionId, 'count', 'counting')
    clearInterval(slow)
    expect(result.stopReason).toBe('end_turn')
    expect(editor.said()).toBe(Array.from({ length: 1000 }, (_, number) => `${number} `).join(''))
    const last = editor.messages.at(-1)
    expect(last?.id).toBe('counting')
  })

  test('the answer to session/new precedes the first update of that session', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'hello')
    const created = editor.messages.findIndex(({ result }) => result?.sessionId === sessionId)
    const first = editor.messages.findIndex(({ method }) => method === 'session/update')
    expect(editor.messages[first]?.params.update.sessionUpdate).toBe('available_commands_update')
    expect(created).toBeLessThan(first)
  })

  test('a late chunk comes behind the response, marked, and belongs to no later turn', async () => {
    await using editor = new Editor()
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'late', 'first')
    const late = await editor.until(({ params }) => params?.update?.content?.text === 'late')
    expect(late.params).toMatchObject({ sessionId, _meta: { subgate: { late: true } } })
    const ids = editor.messages.map(({ id, params }) => id ?? params?.update?.content?.text)
    expect(ids.indexOf('first')).toBeLessThan(ids.indexOf('late'))
    const { result } = await editor.prompt(sessionId, 'hello', 'second')
    expect(result.stopReason).toBe('end_turn')
  })

  test('chunks that an external agent writes behind its response are not part of the turn', async () => {
    await using editor = fakeEditor([
      ...acpHandshake(),
      { expect: 'session/prompt' },
      { say: 'in' },
      { inOneWrite: [{ reply: { stopReason: 'end_turn' } }, { say: '1' }, { say: '2' }, { say: '3' }] },
      { sleep: 300 },
      { say: '4' },
    ])
    const sessionId = await editor.open()
    const { result } = await editor.prompt(sessionId, 'go', 'first')
    expect(result.stopReason).toBe('end_turn')
    await editor.until(({ params }) => params?.update?.content?.text === '4')
    const order = editor.messages.flatMap(
      ({ id, params }) => params?.update?.content?.text ?? (id === 'first' ? [id] : []),
    )
    expect(order).toEqual(['in', 'first', '1', '2', '3', '4'])
  })
})

test('C17: a flood is held back at its source, nothing is lost, and a cancel gets through', async () => {
  const chunk = 'x'.repeat(2000)
  await using editor = fakeEditor(
    [
      ...acpHandshake(),
      ...acpTurn([{ repeat: 20_000, steps: [{ say: `{i} ${chunk}` }] }]),
      { expect: 'session/prompt' },
      { repeat: 'forever', steps: [{ say: `{i} ${chunk}` }] },
    ],
    { limits: { idleMs: 0 } },
  )
  const sessionId = await editor.open()
  const prompted = editor.prompt(sessionId, 'flood')
  editor.process.stdout.pause()
  await pause(1500)
  const rss = residentKiB(editor.process.pid ?? 0)
  editor.process.stdout.resume()
  expect((await prompted).result.stopReason).toBe('end_turn')
  // 40 MB were on their way, of which 8 MiB may wait in the gateway.
  expect(rss).toBeLessThan(300_000)
  const numbers = editor.updates().map(({ params }) => Number.parseInt(params.update.content.text, 10))
  expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, number) => number))
  const again = editor.prompt(sessionId, 'endless', 'endless')
  await editor.when(() => editor.messages.length > 20_200)
  // Another session is served in the middle of it.
  expect(await editor.session()).toMatch(/^ses_/u)
  editor.process.stdout.pause()
  await pause(500)
  editor.notify('session/cancel', { sessionId })
  await pause(200)
  editor.process.stdout.resume()
  expect((await again).result.stopReason).toBe('cancelled')
})

const residentKiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
