/** The tool registry: one resolver for all that reads the view, restrictions, and what is refused on installing one. */
import { describe, expect, test } from 'vitest'
import { ToolRegistry } from '../../../src/agent/tools/registry.ts'
import { answer, call } from '../../fixtures/agent/scripted-model.ts'
import { tool, turnRig } from '../../fixtures/agent/turn-rig.ts'

const named = (name: string, family?: string): ReturnType<typeof tool> =>
  tool(name, () => Promise.resolve({ text: name }), family === undefined ? {} : { family })

const deployment = (): ToolRegistry => {
  const registry = new ToolRegistry()
  for (const each of [named('read', 'files'), named('write', 'files'), named('bash')]) registry.add(each)
  registry.guide('files', (names) => `Files: ${names.join(', ')}.`)
  return registry
}

test('B7.1: a filtered tool is in no schema, no list, no guidance, and refuses to run by its exact name', async () => {
  const child = new ToolRegistry(deployment())
  child.restrict({ deny: ['write'] })
  expect(child.names()).toEqual(['read', 'bash'])
  expect(child.wire().map(({ name }) => name)).toEqual(['read', 'bash'])
  expect(child.list().map(({ name }) => name)).toEqual(['read', 'bash'])
  expect(child.find('write')).toBeUndefined()
  expect(child.guidance()).toBe('Files: read.')
  const rig = turnRig({ answers: [answer(call('a', 'write'))], tools: child })
  await rig.run()
  expect(rig.story()).toContain('call a failed: There is no tool "write" here. The tools are: read, bash.')
})

test('the wire schema is what the model needs to call it', () => {
  const registry = new ToolRegistry()
  registry.add(named('read'))
  expect(registry.wire()).toEqual([
    { type: 'function', name: 'read', description: 'The tool read.', inputSchema: { type: 'object' } },
  ])
})

describe('B7.2: a restriction', () => {
  test('applies allow, then deny', () => {
    const child = new ToolRegistry(deployment())
    child.restrict({ allow: ['read', 'write'], deny: ['write'] })
    expect(child.names()).toEqual(['read'])
  })

  test('intersects with others, and ends when it is disposed', () => {
    const child = new ToolRegistry(deployment())
    const first = child.restrict({ allow: ['read', 'write'] })
    child.restrict({ allow: ['write', 'bash'] })
    expect(child.names()).toEqual(['write'])
    first[Symbol.dispose]()
    expect(child.names()).toEqual(['write', 'bash'])
  })

  test("leaves the child's own tools alone, which may shadow what it admits or hides", () => {
    const child = new ToolRegistry(deployment())
    child.restrict({ allow: ['read'] })
    const own = named('write')
    child.add(own)
    const read = named('read')
    child.add(read)
    expect(child.names()).toEqual(['read', 'write'])
    expect([child.find('write'), child.find('read')]).toEqual([own, read])
  })

  test('leaves the reserved presentation alone', () => {
    const parent = deployment()
    parent.add(named('run_code'))
    const child = new ToolRegistry(parent)
    child.restrict({ allow: [] })
    expect(child.names()).toEqual(['run_code'])
  })
})

describe('B7.3: refused on installing', () => {
  test('a restriction with neither list', () => {
    expect(() => new ToolRegistry(deployment()).restrict({})).toThrow(/needs "allow", "deny" or both/u)
  })

  test.each(['reed', 'own', 'run_code'])('the name "%s" outside of what can be restricted', (name) => {
    const parent = deployment()
    parent.add(named('run_code'))
    const child = new ToolRegistry(parent)
    child.add(named('own'))
    expect(() => child.restrict({ deny: [name] })).toThrow(
      `The tool filter names "${name}", which is no inherited tool. The known ones are: read, write, bash.`,
    )
    expect(child.names()).toEqual(['read', 'write', 'bash', 'run_code', 'own'])
  })

  test('but not allow: [], which hides everything inherited', () => {
    const child = new ToolRegistry(deployment())
    child.restrict({ allow: [] })
    expect(child.names()).toEqual([])
    expect(child.guidance()).toBe('')
  })

  test('nor a name that an earlier restriction hides', () => {
    const child = new ToolRegistry(deployment())
    child.restrict({ allow: ['read'] })
    child.restrict({ deny: ['bash'] })
    expect(child.names()).toEqual(['read'])
  })
})

describe('B7.4: the registry stays live', () => {
  test('a later tool passes a deny-only filter and not an allow list; a removed one leaves every view', () => {
    const parent = deployment()
    const denying = new ToolRegistry(parent)
    denying.restrict({ deny: ['bash'] })
    const allowing = new ToolRegistry(parent)
    allowing.restrict({ allow: ['read'] })
    const later = parent.add(named('later'))
    expect(denying.names()).toEqual(['read', 'write', 'later'])
    expect(allowing.names()).toEqual(['read'])
    later[Symbol.dispose]()
    expect(denying.names()).toEqual(['read', 'write'])
  })

  test('B14: a filter still holds when tools move to an ancestor scope', () => {
    const root = new ToolRegistry()
    const parent = new ToolRegistry(root)
    const first = parent.add(named('write'))
    const child = new ToolRegistry(parent)
    child.restrict({ deny: ['write'] })
    first[Symbol.dispose]()
    root.add(named('write'))
    expect(child.names()).toEqual([])
    expect(parent.names()).toEqual(['write'])
  })
})

test('B7.5: guidance is computed for the view, and the nearest wording of a family counts', () => {
  const parent = deployment()
  const child = new ToolRegistry(parent)
  child.guide('files', 'Only files.')
  expect(child.guidance()).toBe('Only files.')
  child.restrict({ deny: ['read', 'write'] })
  expect(child.guidance()).toBe('')
  expect(parent.guidance()).toBe('Files: read, write.')
})

test('B3.8: disposal leaves nothing of a scope, and its parent as it was', () => {
  const parent = deployment()
  const child = new ToolRegistry(parent)
  child.restrict({ allow: [] })
  child.add(named('own'))
  child.guide('files', 'Mine.')
  child[Symbol.dispose]()
  expect(child.names()).toEqual(parent.names())
  expect(child.guidance()).toBe(parent.guidance())
})

test('two tools of one name in one scope are refused', () => {
  expect(() => deployment().add(named('read'))).toThrow(/The tool "read" is there already/u)
})
