/** Files that go with a prompt arrive byte by byte; what can't is refused with its flag. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { attachments } from '../../../src/cli/run/attachments.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'subgate-attachments-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

test('images, sounds and texts become content of their kind, images first', () => {
  writeFileSync(join(dir, 'a.PNG'), Buffer.from([1, 2, 255]))
  writeFileSync(join(dir, 'b.jpeg'), 'j')
  writeFileSync(join(dir, 'c.wav'), Buffer.from([0]))
  writeFileSync(join(dir, 'd e.md'), 'ä\n')
  expect(attachments({ attach: ['d e.md', 'c.wav'], image: ['a.PNG', 'b.jpeg'] }, dir)).toEqual([
    { type: 'image', mimeType: 'image/png', data: 'AQL/' },
    { type: 'image', mimeType: 'image/jpeg', data: 'ag==' },
    { type: 'resource', resource: { uri: pathToFileURL(join(dir, 'd e.md')).href, text: 'ä\n' } },
    { type: 'audio', mimeType: 'audio/wav', data: 'AA==' },
  ])
  expect(attachments({}, dir)).toEqual([])
})

test.each([
  [{ image: ['a.txt'] }, /^--image names a\.txt, but it takes \.png, .*--attach\.$/u],
  [{ image: ['no.png'] }, /^--image names the file no\.png, which can't be read \(ENOENT\)/u],
  [{ attach: ['no.md'] }, /^--attach names the file no\.md, which can't be read \(ENOENT\)/u],
  [{ attach: ['a.png'] }, /^--attach names a\.png, which is an image\. Give it by --image\.$/u],
  [{ attach: ['b.bin'] }, /^--attach names b\.bin, which is neither text nor one of \.wav/u],
  [{ attach: ['nul'] }, /^--attach names nul, which is neither text/u],
])('%j is refused', (flags, message) => {
  for (const name of ['a.txt', 'a.png']) writeFileSync(join(dir, name), 'x')
  writeFileSync(join(dir, 'b.bin'), Buffer.from([0xff, 0xfe]))
  writeFileSync(join(dir, 'nul'), 'a\0b')
  expect(() => attachments(flags, dir)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) }),
  )
})
