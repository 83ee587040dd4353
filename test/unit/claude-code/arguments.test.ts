/** A request as Claude Code's command line: each control is one of its own switches (law 9). */
import { expect, test } from 'vitest'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { ResolvedStartRequest } from '../../../src/contract/request.ts'
import {
  conversationArguments,
  isCapped,
  isOffered,
  sessionArguments,
  turnArguments,
} from '../../../src/providers/claude-code/arguments.ts'
import { introduction } from '../../../src/providers/claude-code/introduction.ts'
import { leavesRoots } from '../../../src/providers/claude-code/permissions.ts'
import { tooOld, versionOf } from '../../../src/providers/claude-code/version.ts'

const request = (more: Partial<ResolvedStartRequest> = {}): ResolvedStartRequest => ({
  runId: runId('run_1'),
  sessionId: sessionId('ses_1'),
  rootSessionId: sessionId('ses_1'),
  depth: 0,
  origin: { from: 'new' },
  prompt: [],
  cwd: '/w',
  additionalDirectories: [],
  permission: 'ask',
  requested: {},
  mcpServers: [],
  limits: {},
  keep: false,
  ...more,
})

const after = (args: readonly string[], name: string): string | undefined =>
  args.includes(name) ? args[args.indexOf(name) + 1] : undefined

const pantry = { name: 'the pantry', command: '/x', args: [], env: [] }

test('a plain request has no switch of a control', () => {
  const args = sessionArguments(request())
  expect(args.filter((word) => word.startsWith('--'))).toEqual([
    '--output-format',
    '--input-format',
    '--include-partial-messages',
    '--forward-subagent-text',
    '--verbose',
    '--permission-prompt-tool',
    '--disallowedTools',
  ])
  expect(turnArguments(request(), undefined)).toEqual([])
})

test.each([
  [{ model: 'm' }, '--model', 'm'],
  [{ effort: 'low' }, '--effort', 'low'],
  [
    { preset: { name: 'p', tools: { allow: ['Task', 'TodoWrite'] } } },
    '--tools',
    'Agent,TaskCreate,TaskGet,TaskList,TaskUpdate',
  ],
  [{ preset: { name: 'p', tools: { allow: [] } } }, '--tools', ''],
  [{ toolFilter: { allow: ['Read', 'Bash'] }, sandbox: 'read-only' }, '--tools', 'Read'],
  [{ additionalDirectories: ['/a'] }, '--add-dir', '/a'],
] as const)('%j is %s %j', (more, name, value) => {
  expect(after(sessionArguments(request(more as Partial<ResolvedStartRequest>)), name)).toBe(value)
})

test.each([
  [{ limits: { maxTurns: 3 } }, ['--max-turns', '3']],
  [{ limits: { maxCostUsd: 0.5 } }, ['--max-budget-usd', '0.5']],
  [{ requested: { permission: 'ask' } }, ['--permission-mode', 'manual']],
] as const)('for one turn %j is %j', (more, words) => {
  expect(turnArguments(request(more as Partial<ResolvedStartRequest>), undefined)).toEqual(words)
})

const SCHEMA = { type: 'object' }

test.each([
  [{}, {}],
  [{ persona: 'P' }, { systemPrompt: ['P'] }],
  [{ persona: '' }, { systemPrompt: [''] }],
  [{ preset: { name: 'p', instructions: { mode: 'append', text: 'A' } } }, { appendSystemPrompt: 'A' }],
  [{ preset: { name: 'p', instructions: { mode: 'replace', text: 'R' } } }, { systemPrompt: ['R'] }],
  [{ outputSchema: SCHEMA }, { jsonSchema: SCHEMA }],
] as const)('%j is %j of the handshake, and no word of the command line', (more, words) => {
  const asked = request(more)
  const { subtype, hooks, ...rest } = introduction(asked, asked)
  expect([subtype, rest]).toEqual(['initialize', words])
  expect(hooks).toEqual({
    PreToolUse: [{ matcher: null, hookCallbackIds: ['before'], timeout: 604_800, onFailure: 'block' }],
  })
  expect([sessionArguments(asked), turnArguments(asked, undefined)]).toEqual([
    sessionArguments(request()),
    [],
  ])
})

test('a new, a resumed and a copied conversation', () => {
  expect(conversationArguments({ from: 'new', id: 'a' })).toEqual(['--session-id', 'a'])
  expect(conversationArguments({ from: 'resume', id: 'a' })).toEqual(['--resume', 'a'])
  expect(conversationArguments({ from: 'fork', of: 'a', id: 'b' })).toEqual(
    '--resume a --fork-session --session-id b'.split(' '),
  )
})

test.each([
  [{ requested: { maxDepth: 3 }, maxDepth: 3 }, true],
  [{ maxDepth: 3 }, true],
  [{ depth: 1, maxDepth: 3 }, false],
  [{ depth: 3, maxDepth: 3 }, true],
  [{}, false],
])('its own agents with %j are off: %j', (more, off) => {
  expect(isCapped(request(more))).toBe(off)
})

test.each([
  ['Bash', {}, true],
  ['mcp__any__x', {}, true],
  ['mcp__any__x', { sandbox: 'workspace-write' }, false],
  ['mcp__the_pantry__x', { sandbox: 'workspace-write', mcpServers: [pantry] }, true],
  ['mcp__the_pantry__x', { sandbox: 'read-only', mcpServers: [pantry] }, false],
  ['mcp__the_pantry__x', { mcpServers: [pantry], toolFilter: { allow: ['Read'] } }, false],
  ['mcp__the_pantry__x', { mcpServers: [pantry], toolFilter: { allow: ['mcp__the_pantry'] } }, true],
  ['mcp__the_pantry__x', { toolFilter: { deny: ['mcp__the_pantry__x'] } }, false],
  ['mcp__the_pantry_b__x', { toolFilter: { deny: ['mcp__the_pantry'] } }, true],
  ['Agent', { toolFilter: { deny: ['Task'] } }, false],
  ['Monitor', { sandbox: 'workspace-write' }, false],
  ['Bash', { toolFilter: { allow: [] } }, false],
] as const)('%s with %j may run: %j', (tool, more, may) => {
  expect(isOffered(tool, request(more as Partial<ResolvedStartRequest>))).toBe(may)
})

test.each([
  ['workspace-write', '/elsewhere/x', true],
  ['workspace-write', 'x', true],
  ['workspace-write', '~/x', true],
  ['danger-full-access', '/elsewhere/x', false],
] as const)('under %s a write to %s leaves the roots: %j', async (sandbox, path, leaves) => {
  const roots = { sandbox, cwd: '/w', additionalDirectories: [] }
  expect(await leavesRoots('Write', { file_path: path }, roots)).toBe(leaves)
})

test.each([
  ['2.1.332', false],
  ['2.1.331', true],
  ['2.2.0', false],
  ['1.9.999', true],
  ['3.0.0', false],
])('version %s is too old: %j', (version, old) => {
  expect(tooOld(versionOf(version) ?? [])).toBe(old)
})
