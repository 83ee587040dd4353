import { describe, expect, test } from 'vitest'
import type { ClientMethod, ClientOffer } from '../../../src/contract/client.ts'
import { isOffered, offerFor } from '../../../src/runtime/client-offer.ts'
import { ALL_OFFERED } from '../../fixtures/recorded-client.ts'

const client = { offer: ALL_OFFERED, roots: ['/w', '/x/'] }
const here = { cwd: '/w', additionalDirectories: [] }
const flags = ({ readTextFile, writeTextFile, terminal }: ClientOffer): readonly boolean[] => [
  readTextFile,
  writeTextFile,
  terminal,
]

describe("what a session has of a client's offer", () => {
  test('is all of it where nothing stands against it, and nothing that was not offered', () => {
    expect(offerFor(client, here)).toEqual(ALL_OFFERED)
    const none = { ...ALL_OFFERED, readTextFile: false, terminal: false }
    expect(offerFor({ ...client, offer: none }, here)).toEqual(none)
  })

  test.each([
    [{ cwd: '/w/sub', additionalDirectories: ['/x/y'] }, true],
    [{ cwd: '/x', additionalDirectories: ['/w/'] }, true],
    [{ cwd: '/w/../other', additionalDirectories: [] }, false],
    [{ cwd: '/w-other', additionalDirectories: [] }, false],
    [{ cwd: '/w', additionalDirectories: ['/elsewhere'] }, false],
  ])('has its files for its own directories alone: %j', (place, files) => {
    expect(flags(offerFor(client, place))).toEqual([files, files, true])
  })

  test.each([
    ['read-only', [true, false, false]],
    ['workspace-write', [true, true, false]],
    ['danger-full-access', [true, true, true]],
  ] as const)('law 11: lifts no sandbox: %s', (sandbox, offered) => {
    expect(flags(offerFor(client, { ...here, sandbox }))).toEqual(offered)
    expect(offerFor(client, { ...here, sandbox }).elicitation).toEqual({ form: true, url: true })
  })
})

test('a call is within the offer of its own method, and a question within that of its mode', () => {
  const NONE = {
    readTextFile: false,
    writeTextFile: false,
    terminal: false,
    elicitation: { form: false, url: false },
  }
  const only = (more: Partial<ClientOffer>, method: ClientMethod, params = {}): readonly boolean[] => [
    isOffered({ ...NONE, ...more }, { method, params }),
    isOffered(NONE, { method, params }),
  ]
  expect(only({ readTextFile: true }, 'fs/read_text_file')).toEqual([true, false])
  expect(only({ writeTextFile: true }, 'fs/write_text_file')).toEqual([true, false])
  for (const method of ['terminal/create', 'terminal/output', 'terminal/kill', 'terminal/release'] as const)
    expect(only({ terminal: true }, method)).toEqual([true, false])
  const form = { elicitation: { form: true, url: false } }
  expect(only(form, 'elicitation/create', { mode: 'form' })).toEqual([true, false])
  expect(only(form, 'elicitation/create', { mode: 'url' })).toEqual([false, false])
  expect(only(form, 'elicitation/create')).toEqual([false, false])
})
