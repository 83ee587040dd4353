/** Refused controls on the command line: exit 6, the provider and capability named, and nothing started (laws 1, 3). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { documentOf, EXAMPLE, fake, isAlive, pidsOf, Rig } from './cli-rig.ts'

const PIXEL = 'pixel.png'
const SOUND = 'sound.wav'
const PROVIDER_ENTRY = join(import.meta.dirname, '../../dist/provider.js')

describe('a control that the agent can not honour', () => {
  test.each([
    [['--sandbox', 'read-only'], 'sandbox', ['spawn']],
    [['--permission', 'deny'], 'permissions', ['spawn']],
    [['--permission', 'allow-reads'], 'permissions', ['spawn']],
    [['--max-depth', '0'], 'depthLimit', ['spawn']],
    [['--json-schema', '{"type":"object"}'], 'outputSchema', ['spawn']],
    [['--output-schema', '{"type":"object"}'], 'outputSchema', ['spawn']],
    [['--max-turns', '3'], 'maxTurns', ['spawn']],
    [['--max-tokens', '1000'], 'maxTokens', ['spawn']],
    [['--max-cost', '0'], 'maxCostUsd', []],
    [['--max-budget-usd', '1.50'], 'maxCostUsd', []],
  ])('%j is refused before anything is started', async (flags, capability, alternatives) => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    const ended = await rig.run(['run', '--json', ...flags, 'x', ...fake([{ log }])])
    expect(ended.code).toBe(6)
    const { error } = documentOf(ended)
    expect(error).toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      phase: 'gate',
      data: { provider: 'acp', missing: [capability], alternatives },
    })
    expect(error?.message).toContain(flags[0])
    expect(existsSync(log)).toBe(false)
    expect(rig.files('state')).toEqual([])
  })

  test('everything that is missing is named at once, with a provider that could', async () => {
    await using rig = new Rig()
    rig.configure({
      providers: { shaped: { module: moduleOf(rig, 'shaped', 'async () => "x"', SCHEMA_ROW) } },
    })
    const schema = ['--json-schema', '{"type":"object"}']
    const both = await rig.run(['run', '--json', ...schema, '--sandbox', 'read-only', 'x', '--', 'agent'])
    expect(documentOf(both).error?.data).toMatchObject({
      missing: expect.arrayContaining(['sandbox', 'outputSchema']),
      alternatives: ['spawn'],
    })
    const one = await rig.run(['run', ...schema, 'x', '--', 'agent'])
    expect(one).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('shaped') })
  })

  test('a negotiated row: the process is gone, and the second refusal starts none', async () => {
    await using rig = new Rig()
    const log = join(rig.root, 'log')
    for (const name of [PIXEL, SOUND, 'notes.txt']) rig.write(name, 'x')
    for (const [flags, capability] of [
      [['--add-dir', '/tmp'], 'additionalDirectories'],
      [['--model', 'm'], 'model'],
      [['--effort', 'high'], 'effort'],
      [['--mcp-config', '{"far":{"type":"http","url":"http://127.0.0.1:9"}}'], 'mcpServers'],
      [['--image', PIXEL], 'images'],
      [['--attach', SOUND], 'audio'],
      [['--attach', 'notes.txt'], 'resources'],
    ] as const) {
      const agent = fake([{ log }, ...acpHandshake(), ...acpTurn([capability])])
      const before = pidsOf(log).length
      for (const started of [1, 1]) {
        const ended = await rig.run(['run', '--json', ...flags, 'x', ...agent])
        expect(ended.code).toBe(6)
        const { error } = documentOf(ended)
        expect(error).toMatchObject({
          code: 'UNSUPPORTED_CAPABILITY',
          data: { provider: 'acp', missing: [capability] },
        })
        expect(error?.message).toContain(`(${flags[0]})`)
        expect(pidsOf(log).length - before).toBe(started)
        expect(pidsOf(log).filter(isAlive)).toEqual([])
      }
    }
    expect(rig.left()).toEqual([])
  })
})

const SCHEMA_ROW = '{ outputSchema: "native" }'

/** A provider in a file, as somebody writes one. */
const moduleOf = (rig: Rig, name: string, run: string, capabilities = '{}'): string =>
  rig.write(
    `${name}.mjs`,
    `import { defineProvider } from ${JSON.stringify(PROVIDER_ENTRY)}
     export const provider = defineProvider({
       name: ${JSON.stringify(name)}, capabilities: ${capabilities}, run: ${run},
     })`,
  )

describe('C39: a schema for the answer', () => {
  const SCHEMA =
    '{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}'

  test.each([
    ['{"n":1}', 'async () => \'{"n":1}\'', { status: 'completed', structured: { n: 1 }, exitCode: 0 }],
    [
      'a fenced block in prose',
      'async () => "Here you are:\\n```json\\n{\\"n\\":1}\\n```\\n"',
      { status: 'failed', category: 'schema', exitCode: 8 },
    ],
    ['{"n":"1"}', 'async () => \'{"n":"1"}\'', { status: 'failed', category: 'schema', exitCode: 8 }],
    ['nothing', 'async () => {}', { status: 'failed', category: 'schema', exitCode: 8 }],
  ])('%s', async (_, run, ending) => {
    await using rig = new Rig()
    rig.configure({ providers: { shaped: { module: moduleOf(rig, 'shaped', run, SCHEMA_ROW) } } })
    const ended = await rig.run(['run', 'shaped', 'x', '--json', '--output-schema', SCHEMA])
    expect(documentOf(ended)).toMatchObject({ type: 'result', provider: 'shaped', ...ending })
    expect(ended.code).toBe(ending.exitCode)
    if (ending.exitCode === 8) expect(documentOf(ended).error).toMatchObject({ code: 'SCHEMA_MISMATCH' })
  })

  test('the validator names the place that does not fit', async () => {
    await using rig = new Rig()
    const module = moduleOf(rig, 'shaped', 'async () => \'{"n":"1"}\'', SCHEMA_ROW)
    rig.configure({ providers: { shaped: { module } } })
    const schema = rig.write('schema.json', SCHEMA)
    const { error } = documentOf(await rig.run(['run', 'shaped', 'x', '--json', '--json-schema', schema]))
    expect(error?.data).toMatchObject({ path: '/n' })
  })

  test('a provider that claims none is refused before it runs', async () => {
    await using rig = new Rig()
    const mark = join(rig.root, 'ran')
    const run = `async () => { (await import('node:fs')).writeFileSync(${JSON.stringify(mark)}, '') }`
    rig.configure({ providers: { plain: { module: moduleOf(rig, 'plain', run) } } })
    const ended = await rig.run(['run', 'plain', 'x', '--json', '--json-schema', SCHEMA])
    expect(documentOf(ended)).toMatchObject({
      error: { data: { provider: 'plain', missing: ['outputSchema'] } },
    })
    expect(ended.code).toBe(6)
    expect(existsSync(mark)).toBe(false)
    const kept = await rig.run(['run', 'plain', 'x', '--json', '-s', 'work'])
    expect(documentOf(kept).error?.message).toContain('"keep" (--session)')
    expect(existsSync(mark)).toBe(false)
  })
})

describe('a provider that is foreign code', () => {
  test('C39: what it prints is on stderr, also in an exit hook', async () => {
    await using rig = new Rig()
    const run = `async () => {
      process.on('exit', () => console.log('bye'))
      console.log('x'); console.info('i'); process.stdout.write('y\\n'); process.emitWarning('w')
      return 'answer'
    }`
    rig.configure({ providers: { noisy: { module: moduleOf(rig, 'noisy', run) } } })
    const ended = await rig.run(['run', 'noisy', 'x', '--json'])
    expect(documentOf(ended)).toMatchObject({ status: 'completed', text: 'answer' })
    for (const words of ['x\n', 'i\n', 'y\n', 'Warning: w', 'bye\n']) expect(ended.stderr).toContain(words)
  })

  test('what it throws in a timer ends the run with one document and no stack', async () => {
    await using rig = new Rig()
    const run = `async () => { setTimeout(() => { throw new Error('in a timer') }, 20); await new Promise(() => {}) }`
    rig.configure({ providers: { thrower: { module: moduleOf(rig, 'thrower', run) } } })
    const ended = await rig.run(['run', 'thrower', 'x', '--json'])
    expect(ended.code).toBe(1)
    expect(documentOf(ended)).toMatchObject({
      type: 'error',
      error: {
        code: 'PROVIDER_FAULT',
        data: { provider: 'thrower' },
        message: expect.stringContaining('in a timer'),
      },
    })
    expect(ended.stderr).not.toContain('    at ')
  })

  test.each([
    ['is missing', undefined, /can't be loaded/u],
    ['throws', 'throw new Error("at import")', /can't be loaded: at import/u],
    ['exports none', 'export const other = 1', /exports no `provider`/u],
    [
      'has another name',
      'export const provider = { name: "b", open() {}, capabilities: {}, negotiated: [] }',
      /whose provider is named "b"/u,
    ],
  ])('a module that %s is a configuration error with its file and key', async (_, source, words) => {
    await using rig = new Rig()
    if (source !== undefined) rig.write('a.mjs', source)
    rig.configure({ providers: { a: { module: join(rig.work, 'a.mjs') } } })
    const ended = await rig.run(['run', 'a', 'x', '--json'])
    expect(ended.code).toBe(2)
    expect(documentOf(ended).error).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(words),
      data: { key: 'providers.a.module', file: join(rig.root, 'config/subgate/config.json') },
    })
  })
})

describe('permission by policy', () => {
  const EDIT = ['run', '--json', 'replace "colour" with "color" in notes.md'] as const
  const setUp = (): Rig => {
    const rig = new Rig()
    rig.write('notes.md', 'the colour\n')
    rig.configure({ providers: { example: { command: EXAMPLE.slice(1), asks: true } } })
    return rig
  }

  test('allow lets the agent edit the file', async () => {
    await using rig = setUp()
    const ended = await rig.run([...EDIT, '-p', 'example', '--permission', 'allow'])
    expect(documentOf(ended)).toMatchObject({ status: 'completed', denied: [], exitCode: 0 })
    expect(rig.read('notes.md')).toBe('the color\n')
  })

  test.each([['--permission', 'deny'], ['--permission', 'allow-reads'], []])(
    '%s %s: the edit is denied, listed with the flag that would allow it, and the exit is 5',
    async (...flags) => {
      await using rig = setUp()
      const ended = await rig.run([...EDIT, '-p', 'example', ...flags.filter((flag) => flag !== undefined)])
      expect(documentOf(ended)).toMatchObject({
        status: 'completed',
        denied: [
          {
            title: 'Replace "colour" with "color" in notes.md',
            kind: 'edit',
            flag: '--permission allow',
          },
        ],
        exitCode: 5,
      })
      expect(ended.code).toBe(5)
      expect(rig.read('notes.md')).toBe('the colour\n')
    },
  )

  test('--on-denied continue makes that 0, and text mode still says what was denied', async () => {
    await using rig = setUp()
    const ended = await rig.run([
      ...EDIT.filter((word) => word !== '--json'),
      '-p',
      'example',
      '--on-denied',
      'continue',
    ])
    expect(ended).toMatchObject({ code: 0, stdout: 'I left notes.md as it was.\n' })
    expect(ended.stderr).toContain(
      'Denied by policy: Replace "colour" with "color" in notes.md (--permission allow',
    )
  })
})
