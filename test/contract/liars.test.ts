/** A provider that advertises a capability and ignores it is caught, whichever it is. */
import { describe, expect, test } from 'vitest'
import { CAPABILITY_IDS } from '../../src/capabilities/catalog.ts'
import { ConformanceFailure, verify } from '../../src/conformance/index.ts'
import { lyingProvider, scriptedProvider } from '../../src/testing/index.ts'
import type { FilterFlaw } from '../../src/testing/index.ts'
import { CUES, scriptedFixture } from '../fixtures/conformance/scripted.ts'

const flawed = (flaw: FilterFlaw) => scriptedFixture(() => scriptedProvider({ capabilities: 'all', flaw }))

describe('a liar', () => {
  test.each(CAPABILITY_IDS)('that advertises %s and ignores it is caught by that row', async (row) => {
    const liar = { ...scriptedFixture(() => lyingProvider(row)), patienceMs: 300 }
    await expect(verify(`capability/${row}/honoured`, liar)).rejects.toMatchObject({
      name: 'ConformanceFailure',
      requirement: `capability/${row}/honoured`,
    })
  })

  test.each(CAPABILITY_IDS)('about %s still passes for another row', async (row) => {
    const other = row === 'model' ? 'effort' : 'model'
    const liar = scriptedFixture(() => lyingProvider(row))
    expect(await verify(`capability/${other}/honoured`, liar)).toBe('passed')
  })
})

describe('C27: a filter that is there but wrong', () => {
  test('a denied tool called by its exact name is what the plain check sees', async () => {
    const liar = scriptedFixture(() => lyingProvider('toolFilter'))
    await expect(verify('capability/toolFilter/honoured', liar)).rejects.toBeInstanceOf(ConformanceFailure)
  })

  test('one that looks at exact names only is caught by a qualified name', async () => {
    expect(await verify('capability/toolFilter/honoured', flawed('exact-names-only'))).toBe('passed')
    await expect(verify('tool-filter/qualified-name', flawed('exact-names-only'))).rejects.toThrow(
      'the marker was written',
    )
  })

  test('one that looks at the tools of the start only is caught by a later tool', async () => {
    expect(await verify('capability/toolFilter/honoured', flawed('at-start-only'))).toBe('passed')
    await expect(verify('tool-filter/later-tool', flawed('at-start-only'))).rejects.toThrow(
      'the marker was written',
    )
  })
})

describe('a fixture', () => {
  const all = scriptedFixture(() => scriptedProvider({ capabilities: 'all' }))

  test.each(CAPABILITY_IDS)('that has no cue for the claimed %s fails', async (row) => {
    const { [row]: _, ...cues } = CUES
    await expect(verify(`capability/${row}/honoured`, { ...all, cues })).rejects.toThrow(
      `expected the fixture to have a cue "${row}", but saw none`,
    )
  })

  test('whose cue never asks for its capability fails', async () => {
    const { answer } = CUES
    const fixture = { ...all, cues: { ...CUES, model: { ...answer, proves: () => true } } }
    await expect(verify('capability/model/honoured', fixture)).rejects.toThrow('to ask for model')
  })

  test('whose cue proves the same without the control fails', async () => {
    const fixture = { ...all, cues: { ...CUES, model: { ...CUES.model, proves: () => true } } }
    await expect(verify('capability/model/honoured', fixture)).rejects.toThrow(
      'the same cue without the control to show the opposite',
    )
  })

  test('whose attempt never comes to the marker proves nothing', async () => {
    const harmless = { ...CUES.answer, request: () => ({ ...CUES.answer.request(NOWHERE), maxDepth: 0 }) }
    const fixture = { ...all, cues: { ...CUES, depthLimit: harmless } }
    await expect(verify('capability/depthLimit/honoured', fixture)).rejects.toThrow('to show the opposite')
  })

  test('that asks for an unknown requirement hears so', async () => {
    await expect(verify('capability/modle/honoured', all)).rejects.toThrow(
      'Did you mean "capability/model/honoured"?',
    )
  })
})

const NOWHERE = { workspace: '/', elsewhere: '/', marker: '/marker' }
