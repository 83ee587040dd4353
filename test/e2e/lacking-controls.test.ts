/** What Codex or Claude Code lacks can't be had by a flag, by an editor or by a delegating agent either (laws 1, 2). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CATALOG } from '../../src/capabilities/catalog.ts'
import type { CapabilityId } from '../../src/contract/capabilities.ts'
import { LACKING, NATIVE_NAMES, PAIRS, untouchable } from '../fixtures/lacking.ts'
import { Editor } from './acp-editor.ts'
import { documentOf, Rig } from './cli-rig.ts'

const FEW = '---\nname: few\ndescription: Few tools.\ntools: Read\n---\n'

/** How a shell user would ask; a row that has no flag and no preset can't be asked for there. */
const FLAGS: { readonly [Id in CapabilityId]?: readonly string[] } = {
  toolFilter: ['--agent', './few.md'],
  maxTurns: ['--max-turns', '3'],
  maxTokens: ['--max-tokens', '1000'],
  maxCostUsd: ['--max-cost', '1'],
}

test.each(
  PAIRS.flatMap(([name, row]) => (FLAGS[row] === undefined ? [] : [[name, row, FLAGS[row]] as const])),
)('`subgate run %s` refuses %s by %j, and starts nothing', async (name, row, flags) => {
  await using rig = new Rig()
  const { providers, started } = untouchable(rig.root)
  rig.configure({ providers })
  rig.write('few.md', FEW)
  const ended = await rig.run(['run', name, '--json', ...flags, 'Go.'])
  // A flag that the program doesn't have is refused as such.
  const known = row === 'toolFilter' || CATALOG[row].flag !== undefined
  if (known) {
    expect(documentOf(ended).error).toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      phase: 'gate',
      data: { provider: name, missing: [row] },
    })
    expect(documentOf(ended).error?.message).toContain(flags[0])
  }
  expect(ended.code).toBe(known ? 6 : 2)
  expect(started()).toBe(false)
  expect(rig.files('state')).toEqual([])
})

const META: { readonly [Id in CapabilityId]?: (dir: string) => { session?: object; prompt?: object } } = {
  toolFilter: (dir) => ({ session: { preset: join(dir, 'few.md') } }),
  maxTurns: () => ({ prompt: { limits: { maxTurns: 3 } } }),
  maxTokens: () => ({ prompt: { limits: { maxTokens: 1000 } } }),
  maxCostUsd: () => ({ prompt: { limits: { maxCostUsd: 1 } } }),
  audio: () => ({}),
}

test.each(NATIVE_NAMES)('an editor on %s is refused each of them, by `_meta` or content', async (name) => {
  const dir = mkdtempSync(join(tmpdir(), 'subgate-lacking-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const { providers, started } = untouchable(dir)
  await using editor = new Editor({ args: ['--provider', name], providers })
  writeFileSync(join(editor.dir, 'few.md'), FEW)
  const { result } = await editor.initialize()
  expect(result.agentCapabilities.promptCapabilities.audio ?? false).toBe(false)
  for (const row of LACKING[name]) {
    const asks = META[row]?.(editor.dir)
    if (asks === undefined) continue
    const missing = { code: 'UNSUPPORTED_CAPABILITY', data: { provider: name, missing: [row] } }
    const opened = await editor.request('session/new', {
      cwd: editor.dir,
      mcpServers: [],
      _meta: { subgate: asks.session ?? {} },
    })
    if (asks.session !== undefined) {
      expect(opened.error?.data).toMatchObject(missing)
      continue
    }
    const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
    const { error } = await editor.request('session/prompt', {
      sessionId: opened.result.sessionId,
      prompt: [{ type: 'text', text: 'Go.' }, ...(row === 'audio' ? [audio] : [])],
      _meta: { subgate: asks.prompt ?? {} },
    })
    expect(error?.data).toMatchObject(missing)
  }
  expect(started()).toBe(false)
})

/** Its input has no place for a control: the model that writes one in is told so. */
test.each(NATIVE_NAMES)("a model that delegates to %s can't ask for any of them", async (name) => {
  await using rig = new Rig()
  const { providers, started } = untouchable(rig.root)
  rig.configure({ providers, tools: { helper: { provider: name } } })
  const asked: readonly object[] = [
    { limits: { maxTokens: 1000 } },
    { maxTokens: 1000 },
    { preset: 'few' },
    { tools: ['Read'] },
    { prompt: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
  ]
  const calls = asked.map(
    (more) => `call helper: ${JSON.stringify({ description: 'a task', prompt: 'Go.', ...more })}`,
  )
  const script = [...calls, 'say: Refused.'].join('\n')
  const ended = await rig.run([
    'run',
    'spawn',
    '--model',
    'rehearsal',
    '--output-format',
    'stream-json',
    script,
  ])
  const lines = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const failed = lines.filter(({ event }) => event?.update?.status === 'failed')
  expect(failed).toHaveLength(asked.length)
  expect(lines.filter(({ event }) => event?.type === 'run/started')).toHaveLength(1)
  expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'completed', text: 'Refused.' })
  expect(started()).toBe(false)
})
