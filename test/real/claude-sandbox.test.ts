/** `--sandbox workspace-write` on the real Claude Code: it holds, or where its sandbox can't be had it is refused. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeNative } from './agents.ts'
import { missingForSandbox } from './confinement.ts'
import type { Step } from './model/script.ts'
import { Rig } from './rig.ts'

const missing = missingForSandbox()

const call = (tool: string, input: Readonly<Record<string, unknown>>): Step => ({
  do: 'call',
  tool,
  input,
  unoffered: true,
})
const shell = (command: string, more: object = {}): Step =>
  call('Bash', { command, description: 'x', ...more })
const write = (file_path: string): Step => call('Write', { file_path, content: 'x' })
const WIDE = ['--sandbox', 'workspace-write', '--permission', 'allow']

const confined = (): void => {
  test('its shell writes in the working and further directories, and nowhere else', async () => {
    await using rig = await Rig.of(claudeNative)
    const { work, root, env } = rig.workspace
    const further = join(root, 'further')
    mkdirSync(further)
    const outside = [join(root, 'outside'), join(env['HOME'] ?? '', 'outside'), '/var/tmp/subgate-outside']
    rig.model.when(
      'Go.',
      shell('echo in > inside'),
      shell(`echo in > ${join(further, 'inside')}`),
      ...outside.map((file) => shell(`echo out > ${file}`)),
      { do: 'say', text: 'Done.' },
    )
    const { document } = await rig.run('Go.', { flags: [...WIDE, '--add-dir', further] })
    expect(document).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(readFileSync(join(work, 'inside'), 'utf8')).toBe('in\n')
    expect(readFileSync(join(further, 'inside'), 'utf8')).toBe('in\n')
    expect(outside.filter((file) => existsSync(file))).toEqual([])
  })

  test('its file tools write inside alone, and nothing leaves the sandbox on request', async () => {
    await using rig = await Rig.of(claudeNative)
    const { work, root, config } = rig.workspace
    const inside = join(work, 'inside')
    const outside = join(root, 'outside')
    // Neither a rule of the user's nor the call itself lets it out.
    const settings = { permissions: { allow: ['Bash', 'Write'] }, sandbox: { excludedCommands: ['echo'] } }
    writeFileSync(join(config, 'settings.json'), JSON.stringify(settings))
    rig.model.when(
      'Go.',
      write(inside),
      write(outside),
      shell(`echo out > ${outside}`, { dangerouslyDisableSandbox: true }),
      shell(`echo out > ${outside}`),
      { do: 'say', text: 'Done.' },
    )
    const { document } = await rig.run('Go.', { flags: WIDE })
    expect(document).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(existsSync(inside)).toBe(true)
    expect(existsSync(outside)).toBe(false)
  })
}

const refused = (): void => {
  test('it is refused at the second gate by name, and nothing was published or is left', async () => {
    await using rig = await Rig.of(claudeNative)
    const { code, document, events } = await rig.run('Go.', { flags: WIDE })
    expect(document.error).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' })
    expect(document.error?.message).toContain('(--sandbox)')
    expect(code).toBe(6)
    expect(events).toEqual([])
    expect(rig.model.seen).toEqual([])
  })
}

if (missing === undefined) describe('workspace-write, with all that the sandbox needs', confined)
else describe(`workspace-write, where ${missing} can't be had`, refused)

test('workspace-write is refused where bwrap is not on the PATH, and nothing was published or is left', async () => {
  await using rig = await Rig.of(claudeNative)
  const { configure } = rig
  // The program is named, since the PATH holds nothing.
  const folder = join(rig.workspace.env['XDG_CONFIG_HOME'] ?? '', 'subgate')
  mkdirSync(folder, { recursive: true })
  const config = { providers: { 'claude-code': { command: [claudeNative.command] } } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  rig.configure = (...place) => ({ ...configure(...place), PATH: rig.workspace.work })
  const { code, document } = await rig.run('Go.', { flags: WIDE })
  expect(document.error).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' })
  expect(code).toBe(6)
  expect(rig.model.seen).toEqual([])
})
