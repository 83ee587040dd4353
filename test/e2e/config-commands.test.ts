/** Configuration on the command line: what counts, what is trusted, and what is wrong in it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { documentOf, fake, logOf, Rig } from './cli-rig.ts'

describe('a provider module that is broken', () => {
  test('is listed with its error, fails a start on it, and nothing else', async () => {
    await using rig = new Rig()
    const module = join(rig.root, 'config/subgate/mine.mjs')
    rig.write('../../config/subgate/mine.mjs', "throw new Error('no luck')")
    rig.configure({ providers: { mine: { module: './mine.mjs' } } })
    const why = `${join(rig.root, 'config/subgate/config.json')}: "providers.mine.module" is "${module}", which can't be loaded: no luck. Correct it, or the module.`
    const { code, stdout } = await rig.run(['providers'])
    expect(code).toBe(0)
    expect(stdout).toContain(`\nBroken:\nmine  ${why}\n`)
    const { providers } = documentOf(await rig.run(['providers', '--json'])) as unknown as {
      providers: readonly object[]
    }
    expect(providers[0]).toMatchObject({
      name: 'mine',
      usable: false,
      error: { code: 'INVALID_CONFIG', message: why },
    })
    expect(await rig.run(['run', 'mine', 'x'])).toMatchObject({ code: 2, stdout: '', stderr: `${why}\n` })
    for (const args of [
      [],
      ['config', 'show'],
      ['trust', '--remove'],
      ['presets'],
      ['run', 'spawn', '--model', 'rehearsal', 'x'],
    ])
      expect((await rig.run(args)).code).toBe(0)
  })
})

describe('configuration', () => {
  test('config show has each key with its layer, and no secret', async () => {
    await using rig = new Rig()
    rig.configure({
      model: 'big',
      limits: { idleMs: 1000 },
      mcpServers: [
        {
          name: 's',
          type: 'http',
          url: 'https://u:sk-planted@h/?k=sk-planted',
          headers: [{ name: 'A', value: 'sk-planted' }],
        },
      ],
      providers: { mine: { command: ['m'], env: { KEY: 'sk-planted', OTHER: true } } },
    })
    rig.write('.subgate/config.json', { permission: 'deny' })
    const { stdout, code, stderr } = await rig.run(['config', 'show'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^model +big +user$/mu)
    expect(stdout).toMatch(/^permission +deny +project$/mu)
    expect(stdout).toMatch(/^limits\.startupMs +60000 +default$/mu)
    expect(stdout).toMatch(/^providers\.mine\.env\.KEY +\*\*\* +user$/mu)
    expect((await rig.run(['config'])).stdout).toBe(stdout)
    const json = await rig.run(['config', 'show', '--json'])
    expect(() => documentOf(json)).not.toThrow()
    for (const text of [stdout, json.stdout]) expect(text).not.toContain('sk-planted')
  })

  test('what an untrusted project may not do is left out with a line; trust makes it count, a change asks again', async () => {
    await using rig = new Rig()
    const [log, other] = [join(rig.root, 'log'), join(rig.root, 'other')]
    const agent = (file: string): object => ({
      providers: {
        local: { command: fake([{ log: file }, ...acpHandshake(), ...acpTurn(['ok'])]).slice(1) },
      },
    })
    rig.write('.subgate/config.json', {
      model: 'small',
      limits: { totalMs: 60_000, idleMs: 3_600_000 },
      ...agent(log),
    })
    const untrusted = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(untrusted.code).toBe(2)
    expect(documentOf(untrusted)).toMatchObject({ error: { code: 'PROVIDER_NOT_FOUND' } })
    expect(untrusted.stderr).toMatch(/providers\.local\.command.*starts a program/u)
    expect(untrusted.stderr).toMatch(/limits\.idleMs/u)
    expect(untrusted.stderr).not.toMatch(/model|totalMs/u)
    expect(existsSync(log)).toBe(false)

    const trust = await rig.run(['trust'])
    expect(trust).toMatchObject({ code: 0, stdout: '' })
    expect(trust.stderr).toContain(
      `${join(rig.work, '.subgate/config.json')} is trusted as it stands now, with the presets beside it.`,
    )
    expect((await rig.run(['trust', '--list'])).stdout).toBe(`${join(rig.work, '.subgate/config.json')}\n`)
    const trusted = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(trusted.stderr).not.toContain('left out')
    expect(logOf(log).length).toBeGreaterThan(0)

    rig.write('.subgate/config.json', agent(other))
    const changed = await rig.run(['run', '-p', 'local', 'x', '--json'])
    expect(changed.code).toBe(2)
    expect(changed.stderr).toMatch(/providers\.local\.command/u)
    expect(existsSync(other)).toBe(false)

    expect((await rig.run(['trust', '--remove'])).stderr).toContain('is no longer trusted')
    expect((await rig.run(['trust', '--list'])).stdout).toBe('')
  })

  test('trust without a project says that there is nothing to trust', async () => {
    await using rig = new Rig()
    expect(await rig.run(['trust'])).toMatchObject({
      code: 0,
      stderr: 'There is no .subgate/config.json and no preset here or above; nothing needs trust.\n',
    })
  })

  test.each([
    ['{"limits": {"idelMs": 1}}', /unknown key "limits\.idelMs"\. Did you mean "idleMs"\?/u],
    ['{"permission": "maybe"}', /"permission": .* It takes deny, ask, allow-reads or allow\./u],
    ['{"model": }', /line 1, column 11: this is no JSON/u],
  ])('%s is an error with its file, key and remedy: exit 2', async (config, message) => {
    await using rig = new Rig()
    rig.configure(config)
    for (const args of [['run', 'x', '--', 'agent'], ['providers'], []]) {
      const { code, stdout, stderr } = await rig.run(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(join(rig.root, 'config/subgate/config.json'))
      expect(stderr).toMatch(message)
    }
    const shown = await rig.run(['config', 'show'])
    expect(shown.code).toBe(2)
    expect(shown.stderr).toMatch(message)
    expect(shown.stdout).toMatch(/^user +invalid +/u)
    expect(shown.stdout).toMatch(/^limits\.idleMs +600000 +default$/mu)
  })

  test('trust is taken back beside a wrong file, of which nothing counts', async () => {
    await using rig = new Rig()
    const file = rig.write('.subgate/config.json', '{}')
    expect((await rig.run(['trust'])).code).toBe(0)
    rig.configure('{"permission": "maybe"}')
    rig.write('.subgate/config.json', 'no JSON')
    expect(await rig.run(['trust', '--list'])).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' })
    expect(await rig.run(['trust', '--remove'])).toMatchObject({
      code: 0,
      stderr: `${file} is no longer trusted.\n`,
    })
    const { errors } = documentOf(await rig.run(['config', 'show', '--json'])) as unknown as {
      errors: readonly { readonly code: string }[]
    }
    expect(errors.map(({ code }) => code)).toEqual(['INVALID_CONFIG', 'INVALID_CONFIG'])
  })

  test('what an untrusted project tried is said once by config show', async () => {
    await using rig = new Rig()
    rig.write('.subgate/config.json', { permission: 'allow' })
    const { stdout, stderr } = await rig.run(['config', 'show'])
    expect(`${stdout}${stderr}`.match(/doesn't count/gu)).toHaveLength(1)
  })
})
