/** Prompt sections, runtime context and the statements of policy. */
import { describe, expect, test } from 'vitest'
import { RuntimeContext, statementDue } from '../../../src/agent/prompt/runtime-context.ts'
import { PERSONA_ORDER, PERSONA_SECTION, PromptSections } from '../../../src/agent/prompt/sections.ts'
import {
  APPROVAL_STATEMENT,
  approvalStatement,
  DELEGATION_STATEMENT,
  delegationStatement,
  SANDBOX_STATEMENT,
  sandboxStatement,
} from '../../../src/agent/prompt/statements.ts'
import { systemPrompt } from '../../../src/agent/prompt/system.ts'

const persona = (text: string): { name: string; order: number; text: string } => ({
  name: PERSONA_SECTION,
  order: PERSONA_ORDER,
  text,
})

const deployment = (): PromptSections => {
  const sections = new PromptSections()
  sections.variable('cwd', '/work')
  sections.section({ name: 'workspace', order: 20, text: 'You work in {{cwd}}.' })
  sections.section(persona('You are careful.'))
  return sections
}

describe('prompt sections', () => {
  test('stand in their order, one paragraph each', () => {
    expect(deployment().render()).toBe('You are careful.\n\nYou work in /work.')
  })

  test('B6.1: a historical persona shadows the deployment for this child only', () => {
    const parent = deployment()
    const child = new PromptSections(parent)
    expect(PERSONA_SECTION).toBe('deployment:persona-prefix')
    child.section(persona('You are bold.'))
    expect(child.render()).toBe('You are bold.\n\nYou work in /work.')
    expect(parent.render()).toBe('You are careful.\n\nYou work in /work.')
  })

  test('B6.1: an omitted persona keeps what is composed, an empty one shadows it with nothing', () => {
    const omitted = new PromptSections(deployment())
    const empty = new PromptSections(deployment())
    empty.section(persona(''))
    expect(omitted.render()).toContain('You are careful.')
    expect(empty.render()).toBe('You work in /work.')
    expect(empty.names()).toEqual(['workspace'])
  })

  test('B3.8: disposal leaves nothing of a scope, and its parent as it was', () => {
    const parent = deployment()
    const child = new PromptSections(parent)
    using section = child.section(persona('You are bold.'))
    section[Symbol.dispose]()
    expect(child.render()).toBe(parent.render())
    child.variable('cwd', '/else')
    child.section({ name: 'more', order: 99, text: 'More.' })
    expect(child.render()).toContain('/else')
    child[Symbol.dispose]()
    expect(child.names()).toEqual([PERSONA_SECTION, 'workspace'])
    expect(child.render()).toBe(parent.render())
  })

  test.each([
    [
      'an unknown variable',
      'In {{cmd}}.',
      /uses \{\{cmd\}\}, which is no variable\. .*cwd.* Did you mean "cwd"\?/u,
    ],
    ['a variable without a value', 'In {{branch}}.', /uses \{\{branch\}\}, which has no value here/u],
    ['a place without a name', 'In {{ }}.', /which is no variable/u],
  ])('B6.2: %s is an error at setup', (_, text, said) => {
    const sections = deployment()
    sections.variable('branch', () => undefined)
    expect(() => sections.section({ name: 's', order: 1, text })).toThrow(said)
    expect(sections.names()).not.toContain('s')
  })

  test('B6.2: variables are read when the prompt is made; escaped braces are braces', () => {
    const sections = deployment()
    let branch = 'main'
    sections.variable('branch', () => branch)
    sections.section({ name: 'branch', order: 30, text: '{{ branch }}, not \\{{branch}}' })
    branch = 'topic'
    expect(sections.render()).toContain('topic, not {{branch}}')
  })

  test('what a variable holds is no template', () => {
    const sections = new PromptSections()
    sections.variable('x', '{{y}}')
    sections.section({ name: 's', order: 1, text: '{{x}}' })
    expect(sections.render()).toBe('{{y}}')
  })

  test('two sections of one name in one scope are refused', () => {
    expect(() => deployment().section(persona('Again.'))).toThrow(
      /"deployment:persona-prefix" is there already/u,
    )
  })

  test('the guidance for tools comes last, and leaves no gap where there is none', () => {
    expect(systemPrompt(deployment(), { guidance: () => 'Use grep.' })).toMatch(/\/work\.\n\nUse grep\.$/u)
    expect(systemPrompt(deployment(), { guidance: () => '' })).toBe(deployment().render())
  })
})

describe('runtime context', () => {
  test('B4.3: joins what is contributed in the order 110, 115, 120, live', () => {
    const context = new RuntimeContext()
    let mode: 'read-only' | 'workspace-write' = 'read-only'
    context.contribute({ ...DELEGATION_STATEMENT, text: () => 'delegated' })
    context.contribute({ ...SANDBOX_STATEMENT, text: () => mode })
    context.contribute({ ...APPROVAL_STATEMENT, text: () => '' })
    expect(context.text()).toBe('read-only\n\ndelegated')
    mode = 'workspace-write'
    expect(context.text()).toBe('workspace-write\n\ndelegated')
    expect([SANDBOX_STATEMENT, APPROVAL_STATEMENT, DELEGATION_STATEMENT]).toEqual([
      { name: 'sandbox:policy', order: 110 },
      { name: 'approval:policy', order: 115 },
      { name: 'subagent:delegation', order: 120 },
    ])
  })

  test('B3.8: a child adds to what it inherits, and leaves nothing behind', () => {
    const parent = new RuntimeContext()
    parent.contribute({ name: 'a', order: 1, text: () => 'A' })
    const child = new RuntimeContext(parent)
    child.contribute({ name: 'b', order: 0, text: () => 'B' })
    expect(child.text()).toBe('B\n\nA')
    child[Symbol.dispose]()
    expect([child.text(), parent.text()]).toEqual(['A', 'A'])
  })

  test('B2.6: nothing is due while nothing was said and nothing holds, nor while the text is the same', () => {
    expect(statementDue('', undefined)).toBeUndefined()
    const said = statementDue('x', undefined)
    expect(said).toBe('<runtime-context>\nx\n</runtime-context>')
    expect(statementDue('x', said)).toBeUndefined()
    expect(statementDue('', said)).toContain('no longer holds')
  })
})

describe('B4.3: the statements', () => {
  test('of approvals say where the policy comes from', () => {
    expect(approvalStatement({ policy: 'never', source: 'delegation' })).toMatch(
      /rejected automatically.*came with the delegation/u,
    )
    expect(approvalStatement({ policy: 'ask', source: 'request' })).toMatch(/switched later/u)
    expect(approvalStatement({ policy: 'ask' })).not.toMatch(/policy/u)
  })

  test('of the delegation say that the scope is fixed, and to report instead of retrying', () => {
    expect(delegationStatement()).toMatch(
      /scope was fixed.*rejected automatically.*report it.*instead of trying/u,
    )
  })

  test.each([
    ['read-only', /nothing can be written/u],
    ['workspace-write', /written inside of \/a, \/b, and nowhere else/u],
    ['danger-full-access', /Nothing confines/u],
  ] as const)('of the sandbox name the mode %s and what it means', (mode, said) => {
    const statement = sandboxStatement(mode, ['/a', '/b'])
    expect(statement).toMatch(said)
    expect(statement).toContain(mode)
  })
})
