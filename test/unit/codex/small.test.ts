/** The small pure parts of the Codex provider: versions, waits, usage, input, program. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ContentBlock } from '../../../src/contract/content.ts'
import { nativeProgram } from '../../../src/providers/codex/program.ts'
import { retryAfter } from '../../../src/providers/codex/retry-time.ts'
import { turnInput } from '../../../src/providers/codex/thread.ts'
import { NO_USAGE, turnUsage, usageOf } from '../../../src/providers/codex/usage.ts'
import { tooOld, versionOf } from '../../../src/providers/codex/version.ts'

test('the version stands behind the name that the client gave', () => {
  expect(versionOf({ userAgent: 'subgate/0.171.0 (Debian 12.0.0; x86_64) dumb (subgate; 0.1.0)' })).toEqual([
    0, 171,
  ])
  expect(versionOf({ userAgent: 'unknown' })).toBeUndefined()
  expect(versionOf(null)).toBeUndefined()
})

test.each<[readonly [number, number], boolean]>([
  [[0, 170], true],
  [[0, 171], false],
  [[1, 0], false],
])('version %j is too old: %s', (version, old) => {
  expect(tooOld(version)).toBe(old)
})

test.each([
  ['Rate limit reached. Please try again in 1.5s.', 1500],
  ['Try again in 2 minutes', 120_000],
  ['try again in about 1 hour', 3_600_000],
  ['try again in 20 seconds', 20_000],
  ['or try again at 5:10 AM.', 4_200_000],
  ['or try again at 3:59 AM.', 86_340_000],
  ['or try again at 12:30 PM.', 30_600_000],
  ['or try again at 12:30 AM.', 73_800_000],
  ['or try again at Dec 3rd, 2026 5:10 PM.', 220_200_000],
  ['or try again at Dec 1st, 2020 5:10 PM.', 0],
  ['or try again later.', undefined],
  ['Too Many Requests', undefined],
])('the wait in "%s", said at four in the morning', (message, ms) => {
  expect(retryAfter(message, new Date(2026, 11, 1, 4, 0, 0).getTime())).toBe(ms)
})

test("a turn's usage is what it added to the thread's", () => {
  const tokens = (inputTokens: number, outputTokens: number) => ({
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
  })
  const first = turnUsage(NO_USAGE, { total: tokens(2400, 68), last: tokens(1200, 34) })
  expect(usageOf(first)).toEqual({ inputTokens: 1200, outputTokens: 34 })
  const second = turnUsage(first, { total: tokens(3600, 102), last: tokens(1200, 34) })
  expect(usageOf(second)).toEqual({ inputTokens: 2400, outputTokens: 68 })
  expect(usageOf(NO_USAGE)).toBeUndefined()
})

test('text, images, links and embedded text go in; what else is refused', () => {
  expect(
    turnInput(
      [
        { type: 'text', text: '--help' },
        { type: 'image', data: 'cGl4', mimeType: 'image/png' },
        { type: 'resource_link', name: 'notes', uri: 'file:///n' },
        { type: 'resource', resource: { uri: 'memo:1', text: 'buy marmalade' } },
      ],
      'prompt',
    ),
  ).toEqual([
    { type: 'text', text: '--help', text_elements: [] },
    { type: 'image', url: 'data:image/png;base64,cGl4' },
    { type: 'text', text: '[notes](file:///n)', text_elements: [] },
    { type: 'text', text: '<resource uri="memo:1">\nbuy marmalade\n</resource>', text_elements: [] },
  ])
  const refused = (block: ContentBlock) => () => turnInput([block], 'resolve')
  expect(refused({ type: 'audio', data: 'AA', mimeType: 'audio/wav' })).toThrow('"audio"')
  expect(refused({ type: 'resource', resource: { uri: 'memo:2', blob: 'AA' } })).toThrow('memo:2')
})

test('behind the script that npm puts on PATH stands a native program', () => {
  const dir = mkdtempSync(join(tmpdir(), 'subgate-program-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = (...path: readonly string[]): string => {
    const full = join(dir, ...path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, '')
    chmodSync(full, 0o755)
    return full
  }
  const scope = ['node_modules', '@openai']
  const script = file(...scope, 'codex', 'bin', 'codex.js')
  mkdirSync(join(dir, 'bin'))
  symlinkSync(script, join(dir, 'bin', 'codex'))
  expect(nativeProgram('codex', join(dir, 'bin'))).toBe('codex')
  const platform = `codex-${process.platform}-${process.arch}`
  const native = file(...scope, platform, 'vendor', 'some-triple', 'bin', 'codex')
  expect(nativeProgram('codex', join(dir, 'bin'))).toBe(native)
  expect(nativeProgram(join(dir, 'bin', 'codex'))).toBe(native)
  expect(nativeProgram(native)).toBe(native)
  expect(nativeProgram('absent', join(dir, 'bin'))).toBe('absent')
})
