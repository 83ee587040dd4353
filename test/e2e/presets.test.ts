/** `--agent` and `subgate presets` on the command line (B1.6). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { documentOf, fake, Rig } from './cli-rig.ts'

test('C27: run --agent with a preset that the agent can not honour: exit 6, by name, and nothing is started', async () => {
  await using rig = new Rig()
  rig.write('.claude/agents/few.md', '---\ntools: Read\n---\n')
  const log = join(rig.root, 'log')
  for (const agent of ['few', './.claude/agents/few.md']) {
    const ended = await rig.run(['run', '--json', '--agent', agent, 'x', ...fake([{ log }])])
    expect(ended.code).toBe(6)
    expect(documentOf(ended).error).toMatchObject({
      code: 'UNSUPPORTED_CAPABILITY',
      message: expect.stringContaining('"preset.tools" (--agent)'),
      data: { missing: ['toolFilter'], fields: ['preset.tools'] },
    })
  }
  expect(existsSync(log)).toBe(false)
})

test('a faulty or missing preset is exit 2 with its file, line and key', async () => {
  await using rig = new Rig()
  const file = rig.write('.subgate/agents/bad.md', '---\nname: bad\nhooks: {}\n---\n')
  const bad = await rig.run(['run', '--agent', 'bad', 'x', ...fake([])])
  expect(bad).toMatchObject({ code: 2, stdout: '' })
  expect(bad.stderr).toContain(`Invalid preset in ${file}, line 3: "hooks" is a control that Subgate lacks`)
  const none = await rig.run(['run', '--json', '--agent', 'none', 'x', ...fake([])])
  expect(none.code).toBe(2)
  expect(documentOf(none).error).toMatchObject({
    code: 'PRESET_NOT_FOUND',
    data: { preset: 'none', known: [] },
  })
})

test('a key of an untrusted project is named on stderr until the project is trusted', async () => {
  await using rig = new Rig()
  rig.write('.claude/agents/wide.md', '---\npermissionMode: bypassPermissions\n---\n')
  const run = () =>
    rig.run(['run', '--agent', 'wide', 'x', ...fake([...acpHandshake(), ...acpTurn(['done'])])])
  const before = await rig.run(['presets'])
  expect(before.stdout).toContain('needs nothing')
  expect(before.stdout).toContain('permissionMode in ')
  expect(await run()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('done'),
    stderr: expect.stringContaining('Trust the project with: subgate trust'),
  })
  expect((await rig.run(['trust'])).code).toBe(0)
  expect((await rig.run(['presets'])).stdout).toMatch(/wide\s.*needs sandbox\n$/)
  expect(await run()).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^"preset\.permissionMode" \(--agent\) was asked for/),
  })
})

test('presets --json lists each with its place, what it needs and its error', async () => {
  await using rig = new Rig()
  const good = rig.write('.subgate/agents/good.md', '---\ndescription: Good\nmodel: m\n---\nBe brief.\n')
  const bad = rig.write('.subgate/agents/worse.md', '---\ntoolz: x\n---\n')
  const ended = await rig.run(['presets', '--json'])
  expect(ended.code).toBe(0)
  expect(JSON.parse(ended.stdout)).toEqual({
    type: 'presets',
    presets: [
      {
        name: 'good',
        level: 'project',
        file: good,
        description: 'Good',
        needs: ['persona', 'model'],
        overridden: false,
        withheld: [],
      },
      {
        name: 'worse',
        level: 'project',
        file: bad,
        needs: [],
        overridden: false,
        withheld: [],
        error: expect.objectContaining({
          code: 'INVALID_CONFIG',
          data: { file: bad, key: 'toolz', suggestion: 'tools' },
        }),
      },
    ],
  })
  const empty = await rig.run(['presets'], { cwd: rig.root })
  expect(empty.stdout).toContain('No preset is seen from here.')
})
