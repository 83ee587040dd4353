/** A preset's text: every key, and the error of every fault with its file, line and key (B1.6). */
import { describe, expect, test } from 'vitest'
import { parsePreset } from '../../../src/presets/parse.ts'
import { errorOf, preset } from './house.ts'

const FILE = '/p/.subgate/agents/reviewer.md'
const read = (head: string, body?: string) => parsePreset(preset(head, body), FILE)

test('B1.6: every key becomes its part of the preset, and the body the instructions', () => {
  const head = `name: careful
description: Reads a change
tools: Read, Grep
disallowedTools: [Bash]
model: small
permissionMode: plan
instructions: replace
color: red`
  expect(read(head, '\nYou review.\n\n  Indented.\n')).toEqual({
    preset: {
      name: 'careful',
      instructions: { mode: 'replace', text: 'You review.\n\n  Indented.' },
      tools: { allow: ['Read', 'Grep'], deny: ['Bash'] },
      model: 'small',
      sandbox: 'read-only',
    },
    description: 'Reads a change',
  })
})

test('a file of nothing asks for nothing and has the name of the file', () => {
  expect(parsePreset('---\n---\n', FILE)).toEqual({ preset: { name: 'reviewer' } })
})

test('a byte order mark, CRLF and blanks behind the fences are taken', () => {
  expect(parsePreset('\uFEFF--- \r\nname: x\r\n---\t\r\nBe brief.\r\n', FILE)).toEqual({
    preset: { name: 'x', instructions: { mode: 'append', text: 'Be brief.' } },
  })
})

test.each([
  ['tools: Read, Bash(git diff:*, git log:*), Write', ['Read', 'Bash(git diff:*, git log:*)', 'Write']],
  ['tools: Read,Read,', ['Read']],
  ['tools:\n  - Read\n  - Grep', ['Read', 'Grep']],
  ['tools: []', []],
  ['tools: "Read"', ['Read']],
])('C27: the list %j is %j', (head, allow) => {
  expect(read(head).preset.tools).toEqual({ allow })
})

test('without tools there is no filter, and with disallowedTools alone no allow list', () => {
  expect(read('name: x').preset).not.toHaveProperty('tools')
  expect(read('disallowedTools: Bash').preset.tools).toEqual({ deny: ['Bash'] })
})

test('model: inherit asks for nothing', () => {
  expect(read('model: inherit').preset).toEqual({ name: 'reviewer' })
})

test.each([
  ['default', undefined],
  ['plan', 'read-only'],
  ['acceptEdits', 'workspace-write'],
  ['auto', 'workspace-write'],
  ['dontAsk', 'workspace-write'],
  ['manual', 'workspace-write'],
  ['bypassPermissions', 'danger-full-access'],
])('permissionMode %s is the sandbox %s', (mode, sandbox) => {
  expect(read(`permissionMode: ${mode}`).preset.sandbox).toBe(sandbox)
})

test('B6: instructions without a text are asked for only where the key says so', () => {
  expect(read('name: x').preset).not.toHaveProperty('instructions')
  expect(read('instructions: replace').preset.instructions).toEqual({ mode: 'replace', text: '' })
  expect(read('instructions: append', 'Hi').preset.instructions).toEqual({ mode: 'append', text: 'Hi' })
})

describe('a fault', () => {
  test.each([
    ['name: x\ntoolz: Read', 3, 'toolz', 'tools', /Did you mean "tools"/],
    ['name: x\nallowedTools: [Read]', 3, 'allowedTools', 'disallowedTools', /unknown key/],
    ['maxTurns: 3', 2, 'maxTurns', undefined, /Known keys: name, description, tools/],
    ['name: x\n\nhooks: {}', 4, 'hooks', undefined, /control that Subgate lacks/],
    ['mcpServers: []', 2, 'mcpServers', undefined, /control that Subgate lacks/],
    ['skills:', 2, 'skills', undefined, /control that Subgate lacks/],
    ['permissionMode: plam', 2, 'permissionMode', 'plan', /Did you mean "plan"/],
    ['permissionMode: yolo', 2, 'permissionMode', undefined, /It takes default, plan, acceptEdits/],
    ['instructions: apend', 2, 'instructions', 'append', /append, replace/],
    ['model:', 2, 'model', undefined, /no value/],
    ['model: ""', 2, 'model', undefined, /no value/],
    ['model: 4', 2, 'model', undefined, /a number, but it takes a model/],
    ['name: [a]', 2, 'name', undefined, /a list, but it takes a name/],
    ['name: ./x', 2, 'name', undefined, /can't be a name/],
    ['name: x.md', 2, 'name', undefined, /can't be a name/],
    ['tools:', 2, 'tools', undefined, /no value/],
    ['tools: ", Read"', 2, 'tools', undefined, /empty name/],
    ['tools:\n  - Read\n  - 4', 2, 'tools', undefined, /a list of more than names/],
    ['tools: {Read: true}', 2, 'tools', undefined, /a mapping/],
    ['description: &a x\nname: *a', 3, 'name', undefined, /an alias/],
    ['name: x\nname: y', 3, 'name', undefined, /no YAML/],
    ['model: m\ndescription: Use it: now', 3, 'description', undefined, /stands in quotes/],
    ['name: !custom x', 2, 'name', undefined, /no YAML/],
    ['name: "x', 2, 'name', undefined, /no YAML/],
  ])('in %j names line %d, the key and what to do', (head, line, key, suggestion, message) => {
    const error = errorOf(() => read(head))
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', phase: 'resolve' })
    expect(error.data).toEqual({ file: FILE, key, ...(suggestion !== undefined && { suggestion }) })
    expect(error.message).toMatch(message)
    expect(error.message).toContain(`Invalid preset in ${FILE}, line ${line}: `)
  })

  test.each([
    ['You review.', /Begin the file with a line "---"/],
    ['---\nname: x\n', /Close it with a line "---"/],
    ['---\n- a\n---\n', /"key: value" lines/],
    ['---\nword\n---\n', /"key: value" lines/],
    [`---\nname: ${'x'.repeat(32 * 1024)}\n---\n`, /longer than 32 KiB/],
    [`---\nname: ${'['.repeat(30_000)}\n---\n`, /front matter|YAML/],
  ])('of the whole text %# says how it begins and ends', (text, message) => {
    const error = errorOf(() => parsePreset(text, FILE))
    expect(error.code).toBe('INVALID_CONFIG')
    expect(error.message).toMatch(message)
  })

  test('control characters of a file reach no terminal', () => {
    const error = errorOf(() => parsePreset(preset('"a\\e[2J": x'), '/p/\u001b[2J.md'))
    expect(error.message).toContain('\\u{1b}[2J')
    expect(error.message).not.toContain('\u001b')
  })

  test('a file whose name is no name needs one inside', () => {
    expect(errorOf(() => parsePreset('---\n---\n', '/p/-.md')).data).toEqual({ file: '/p/-.md', key: 'name' })
    expect(parsePreset('---\nname: ok\n---\n', '/p/-.md').preset.name).toBe('ok')
  })
})
