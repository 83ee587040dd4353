/** The user's lineage key: one, private, the same for all who ask. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { loadKey } from '../../../src/lineage/key.ts'

const fresh = (): string => mkdtempSync(join(process.env['SUBGATE_TEST_HOME'] ?? '/tmp', 'key-'))
const run = promisify(execFile)

test('the key is made at first need, private, and is the same afterwards', () => {
  const state = join(fresh(), 'not', 'there', 'yet')
  const key = loadKey(state)
  expect(key).toHaveLength(32)
  expect(loadKey(state)).toEqual(key)
  expect(readdirSync(state)).toEqual(['lineage.key'])
  expect(statSync(join(state, 'lineage.key')).mode & 0o777).toBe(0o600)
  expect(statSync(state).mode & 0o777).toBe(0o700)
})

test('processes that need the key at once get the same one', async () => {
  const state = fresh()
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/lineage/key.ts')).href
  const code = `
    const { loadKey } = await import(${JSON.stringify(module)})
    while (Date.now() < Number(process.argv[1])) {}
    console.log(Buffer.from(loadKey(process.argv[2])).toString('hex'))`
  const start = String(Date.now() + 1500)
  const keys = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const args = ['--input-type=module', '-e', code, start, state]
      return (await run(process.execPath, args)).stdout.trim()
    }),
  )
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(keys).size).toBe(1)
  expect(readdirSync(state)).toEqual(['lineage.key'])
})

test('a damaged key is refused with the name of its file, and not replaced', () => {
  const state = fresh()
  writeFileSync(join(state, 'lineage.key'), 'short')
  const file = join(state, 'lineage.key')
  expect(() => loadKey(state)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', phase: 'depth', data: { file } }),
  )
  expect(statSync(file).size).toBe(5)
})

test('a folder that cannot be made is refused with what to do', () => {
  const state = fresh()
  writeFileSync(join(state, 'file'), '')
  expect(() => loadKey(join(state, 'file', 'below'))).toThrow(/Make its folder writable/)
})
