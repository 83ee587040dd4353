/** The package's entries, pinned: what each exports at run time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: unknown
}

const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '.': ['SubagentError', 'createSubgate', 'defineProvider', 'memoryStore'],
  './provider': ['SubagentError', 'claims', 'defineProvider'],
  './conformance': ['ConformanceFailure', 'MANIFEST', 'PROOFS', 'conformanceMarkdown', 'verify'],
  './conformance/vitest': ['describeProvider'],
  './testing': [
    'acpHandshake',
    'acpTurn',
    'fakeAgentCommand',
    'lyingProvider',
    'playing',
    'scriptedProvider',
  ],
}

test('the package has these entries and no other', () => {
  expect(Object.keys(manifest.exports)).toEqual([...Object.keys(ENTRIES), './package.json'])
})

test.each(Object.entries(ENTRIES))('%s exports %j', async (entry, names) => {
  const target = manifest.exports[entry]
  if (typeof target !== 'object') throw new Error(`${entry} has no types.`)
  expect(target.types).toBe(target.default.replace(/\.js$/u, '.d.ts'))
  const source = join(root, target.default.replace('./dist/', 'src/').replace(/\.js$/u, '.ts'))
  const loaded = (await import(pathToFileURL(source).href)) as object
  expect(Object.keys(loaded).toSorted()).toEqual(names)
})

test('vitest is needed by its adapter alone, so it is optional', () => {
  expect(manifest.peerDependencies).toEqual({ vitest: '>=5' })
  expect(manifest.peerDependenciesMeta).toEqual({ vitest: { optional: true } })
})
