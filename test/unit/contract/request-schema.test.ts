/** The border schema of a start request: what is requested, what is refused, and in which words. */
import { describe, expect, test } from 'vitest'
import type { SubagentError } from '../../../src/contract/errors.ts'
import {
  parsePromptControls,
  parseSessionControls,
  parseStartRequest,
} from '../../../src/contract/request-schema.ts'

const least = { provider: 'p', prompt: [{ type: 'text', text: 'hi' }] }

const refusal = (parse: () => unknown): SubagentError => {
  try {
    parse()
  } catch (error) {
    return error as SubagentError
  }
  throw new Error('nothing was refused')
}

const refused = (more: object): SubagentError => refusal(() => parseStartRequest({ ...least, ...more }))

describe('a request', () => {
  test('with a provider and a prompt is enough, and stays as it was', () => {
    expect(parseStartRequest(least)).toEqual(least)
  })

  test('with every field is taken over unchanged', () => {
    const whole = {
      ...least,
      parent: { sessionId: 's-1' },
      session: { from: 'fork', sessionId: 's-2', through: 3 },
      preset: 'reviewer',
      label: '',
      cwd: '/w',
      additionalDirectories: ['/x'],
      model: 'm',
      effort: 'high',
      sandbox: 'read-only',
      permission: 'ask',
      maxDepth: 0,
      outputSchema: {},
      mcpServers: [{ name: 'm', command: 'c', args: [], env: [{ name: 'A', value: 'b' }] }],
      limits: { idleMs: 0, totalMs: 1.5, maxTurns: 1, maxTokens: 2, maxCostUsd: 0.1 },
      keep: false,
      idempotencyKey: 'k',
      meta: { a: 1 },
    }
    expect(parseStartRequest(whole)).toEqual(whole)
  })

  test.each([undefined, null, 1, 'x', []])('that is %j is INVALID_REQUEST of phase request', (value) => {
    const error = refusal(() => parseStartRequest(value))
    expect([error.code, error.phase]).toEqual(['INVALID_REQUEST', 'request'])
  })
})

describe('B2.2: maxDepth', () => {
  test.each([0, 1, 7, Number.MAX_SAFE_INTEGER])('%d is taken', (maxDepth) => {
    expect(parseStartRequest({ ...least, maxDepth }).maxDepth).toBe(maxDepth)
  })

  test.each([-1, 0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '2', null, true])(
    '%j is refused by name',
    (maxDepth) => {
      const error = refused({ maxDepth })
      expect(error.code).toBe('INVALID_REQUEST')
      expect(error.data).toMatchObject({ field: 'maxDepth' })
      expect(error.message).toContain('maxDepth')
    },
  )
})

describe('B1.4: present means requested', () => {
  test.each([
    { maxDepth: 0 },
    { outputSchema: {} },
    { label: '' },
    { keep: false },
    { limits: {} },
    { mcpServers: [] },
  ])('%j survives the border', (more) => {
    expect(parseStartRequest({ ...least, ...more })).toEqual({ ...least, ...more })
  })

  test('a field that is present but undefined is refused, since JSON has no such thing', () => {
    expect(refused({ model: undefined }).data).toMatchObject({ field: 'model' })
  })
})

describe('B1.6: composition belongs to a preset', () => {
  test.each(['persona', 'toolFilter', 'allowedTools', 'disallowedTools', 'systemPrompt'])(
    '%s is an unknown key, and the message says where it belongs',
    (key) => {
      const error = refused({ [key]: '' })
      expect(error.code).toBe('INVALID_REQUEST')
      expect(error.data).toMatchObject({ field: key })
      expect(error.message).toContain(`unknown key "${key}"`)
      expect(error.message).toContain('belong to a preset')
    },
  )
})

describe('an unknown key', () => {
  test.each([
    ['modell', 'model'],
    ['maxdepth', 'maxDepth'],
    ['premission', 'permission'],
    ['sandboxx', 'sandbox'],
  ])('%s suggests %s', (key, suggestion) => {
    const error = refused({ [key]: 1 })
    expect(error.data).toEqual({ field: key, suggestion })
    expect(error.message).toContain(`Did you mean "${suggestion}"?`)
  })

  test('far from every known one gets no suggestion', () => {
    expect(refused({ colour: 1 }).data).toEqual({ field: 'colour' })
  })

  test('in limits is named by its path', () => {
    expect(refused({ limits: { idle: 1 } }).data).toMatchObject({ field: 'limits.idle' })
  })
})

describe('a value outside its domain is refused by its path', () => {
  test.each<[string, object]>([
    ['provider', { provider: '' }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: 'hi' }],
    ['prompt.0.text', { prompt: [{ type: 'text' }] }],
    ['prompt.0.mimeType', { prompt: [{ type: 'image', data: 'AA==' }] }],
    ['parent.sessionId', { parent: { sessionId: '' } }],
    ['session.from', { session: { from: 'old' } }],
    ['session.sessionId', { session: { from: 'resume' } }],
    ['session.through', { session: { from: 'fork', sessionId: 's', through: 0 } }],
    ['session.through', { session: { from: 'new', through: 1 } }],
    ['preset', { preset: '' }],
    ['cwd', { cwd: 1 }],
    ['additionalDirectories.1', { additionalDirectories: ['/a', 2] }],
    ['sandbox', { sandbox: 'none' }],
    ['permission', { permission: 'always' }],
    ['outputSchema', { outputSchema: [] }],
    ['limits.idleMs', { limits: { idleMs: -1 } }],
    ['limits.totalMs', { limits: { totalMs: Number.NaN } }],
    ['limits.totalMs', { limits: { totalMs: Number.POSITIVE_INFINITY } }],
    ['limits.maxTurns', { limits: { maxTurns: 0 } }],
    ['limits.maxTokens', { limits: { maxTokens: 1.5 } }],
    ['limits.maxCostUsd', { limits: { maxCostUsd: '1' } }],
    ['keep', { keep: 'yes' }],
    ['idempotencyKey', { idempotencyKey: '' }],
  ])('%s of %j', (field, more) => {
    const error = refused(more)
    expect(error.code).toBe('INVALID_REQUEST')
    expect(error.data).toMatchObject({ field })
  })

  test('a malformed MCP server is named by index and field', () => {
    const mcpServers = [
      { name: 'a', command: 'x', args: [], env: [] },
      { type: 'http', name: 'b', headers: [] },
    ]
    expect(refused({ mcpServers }).data).toMatchObject({ field: 'mcpServers.1.url' })
  })
})

test('fields of content blocks and MCP servers that are unknown here pass untouched', () => {
  const prompt = [{ type: 'text', text: 'a', _meta: { x: 1 }, future: true }]
  const mcpServers = [{ type: 'http', name: 'b', url: 'http://h', headers: [], later: 1 }]
  expect(parseStartRequest({ ...least, prompt, mcpServers })).toEqual({ ...least, prompt, mcpServers })
})

describe('the controls of _meta.subgate are as strict', () => {
  test('those of a session', () => {
    expect(parseSessionControls({ model: 'm', maxDepth: 0 })).toEqual({ model: 'm', maxDepth: 0 })
    expect(refusal(() => parseSessionControls({ limits: {} })).data).toMatchObject({ field: 'limits' })
    expect(refusal(() => parseSessionControls({ maxDepth: -1 })).data).toEqual({ field: 'maxDepth' })
  })

  test('those of a prompt', () => {
    expect(parsePromptControls({ outputSchema: {} })).toEqual({ outputSchema: {} })
    expect(refusal(() => parsePromptControls({ model: 'm' })).data).toMatchObject({ field: 'model' })
  })
})
