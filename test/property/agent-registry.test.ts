/** Laws of the tool view over random scopes: one resolver, restrictions that only take away, live in both directions. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolFilter } from '../../src/contract/events.ts'
import { ToolRegistry } from '../../src/agent/tools/registry.ts'
import { tool } from '../fixtures/agent/turn-rig.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const names = fc.uniqueArray(fc.constantFrom(...NAMES))
const scope = fc.record({
  own: names,
  filters: fc.array(
    fc.oneof(
      fc.record({ allow: names }),
      fc.record({ deny: names }),
      fc.record({ allow: names, deny: names }),
    ),
    { maxLength: 3 },
  ),
})
const scopes = fc.array(scope, { minLength: 1, maxLength: 4 })

const named = (name: string): ReturnType<typeof tool> =>
  tool(name, () => Promise.resolve({ text: '' }), { family: name })

/** A filter holds only names that can be restricted, so that it is accepted. */
const fitting = ({ allow, deny }: ToolFilter, known: readonly string[]): ToolFilter => ({
  ...(allow !== undefined && { allow: allow.filter((name) => known.includes(name)) }),
  ...(deny !== undefined && { deny: deny.filter((name) => known.includes(name)) }),
})

interface Built {
  readonly registry: ToolRegistry
  readonly parent: ToolRegistry | undefined
  readonly own: readonly string[]
  readonly filters: readonly ToolFilter[]
}

const build = (shape: typeof scopes extends fc.Arbitrary<infer T> ? T : never): readonly Built[] => {
  const built: Built[] = []
  for (const { own, filters } of shape) {
    const parent = built.at(-1)?.registry
    const registry = new ToolRegistry(parent)
    for (const name of own) registry.add(named(name))
    for (const name of NAMES) if (parent === undefined) registry.guide(name, `about ${name}`)
    const applied = filters.map((filter) => fitting(filter, registry.restrictable()))
    for (const filter of applied) registry.restrict(filter)
    built.push({ registry, parent, own, filters: applied })
  }
  return built
}

const admitted = (filters: readonly ToolFilter[], name: string): boolean =>
  filters.every(({ allow, deny }) => (allow?.includes(name) ?? true) && deny?.includes(name) !== true)

const sorted = (list: Iterable<string>): readonly string[] => [...list].toSorted()

test('B7.2: a view is what all restrictions admit of the inherited view, and the own tools', () => {
  fc.assert(
    fc.property(scopes, (shape) => {
      for (const { registry, parent, own, filters } of build(shape)) {
        const inherited = (parent?.names() ?? []).filter((name) => admitted(filters, name))
        expect(sorted(registry.names())).toEqual(sorted(new Set([...inherited, ...own])))
      }
    }),
  )
})

test('B7.1: wire schemas, list, lookup and guidance tell of the same tools', () => {
  fc.assert(
    fc.property(scopes, (shape) => {
      for (const { registry } of build(shape)) {
        const view = registry.names()
        expect(registry.wire().map(({ name }) => name)).toEqual(view)
        expect(registry.list().map(({ name }) => name)).toEqual(view)
        expect(NAMES.filter((name) => registry.find(name) !== undefined)).toEqual(sorted(view))
        const told = NAMES.filter((name) => registry.guidance().includes(`about ${name}`))
        expect(told).toEqual(sorted(view))
      }
    }),
  )
})

test('a restriction never adds, and its disposal gives back exactly what it took', () => {
  fc.assert(
    fc.property(scopes, names, fc.boolean(), (shape, listed, allow) => {
      const registry = build(shape).at(-1)?.registry
      if (registry === undefined) return
      const before = registry.names()
      const filter = fitting(allow ? { allow: listed } : { deny: listed }, registry.restrictable())
      const restriction = registry.restrict(filter)
      expect(registry.names().every((name) => before.includes(name))).toBe(true)
      restriction[Symbol.dispose]()
      expect(registry.names()).toEqual(before)
    }),
  )
})

test('B7.4: a tool that comes and goes at the root leaves every view as it was', () => {
  fc.assert(
    fc.property(scopes, (shape) => {
      const built = build(shape)
      const before = built.map(({ registry }) => registry.names())
      const later = built[0]?.registry.add(named('later'))
      built.forEach(({ registry }, index) => {
        const path = built.slice(1, index + 1)
        const seen = path.every(({ filters }) => admitted(filters, 'later'))
        expect(registry.find('later') !== undefined).toBe(seen)
      })
      later?.[Symbol.dispose]()
      expect(built.map(({ registry }) => registry.names())).toEqual(before)
    }),
  )
})
