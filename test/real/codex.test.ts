/** The real Codex by its own interface, through the built program. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codexNative } from './agents.ts'
import { describeTurns } from './agent-suite.ts'
import type { Step } from './model/script.ts'
import { Rig } from './rig.ts'

describeTurns(codexNative)

const shell = (cmd: string): Step => ({ do: 'call', tool: 'exec_command', input: { cmd } })
const say = (text: string): Step => ({ do: 'say', text })

describe('the controls of Codex, as the model sees them', () => {
  test('a command runs in its sandbox without a question', async () => {
    await using rig = await Rig.of(codexNative)
    rig.model.when('Write it.', shell('echo x > inside.txt'), say('Written.'))
    const { code, document, events } = await rig.run('Write it.', { flags: ['--sandbox', 'workspace-write'] })
    expect(document).toMatchObject({ status: 'completed', text: 'Written.', denied: [] })
    expect(existsSync(join(rig.workspace.work, 'inside.txt'))).toBe(true)
    expect(events.filter((event) => event.type === 'permission/requested')).toEqual([])
    expect(code).toBe(0)
  })

  test.each(['read-only', 'workspace-write'])(
    'sandbox %s holds also where all is allowed and the model asks for more',
    async (sandbox) => {
      await using rig = await Rig.of(codexNative)
      const outside = join(rig.workspace.root, 'outside.txt')
      const asks = codexNative.shell(`touch ${outside}`)
      rig.model.when('Write it.', asks, shell(`touch ${outside}`), say('I could not.'))
      const flags = ['--sandbox', sandbox, '--permission', 'allow']
      const { document } = await rig.run('Write it.', { flags })
      expect(document.status).toBe('completed')
      expect(existsSync(outside)).toBe(false)
    },
  )

  test('the temporary folder is no part of the workspace', async () => {
    await using rig = await Rig.of(codexNative)
    const file = join(rig.workspace.env['TMPDIR'] ?? '', 'loose.txt')
    rig.model.when('Write it.', shell(`touch ${file}`), say('Done.'))
    await rig.run('Write it.', { flags: ['--sandbox', 'workspace-write'] })
    expect(existsSync(file)).toBe(false)
  })

  test('a sandbox and a question can not be had together, and nothing is started', async () => {
    await using rig = await Rig.of(codexNative)
    const flags = ['--sandbox', 'read-only', '--permission', 'ask']
    const { code, document } = await rig.run('Go.', { flags })
    expect(document.error).toMatchObject({ code: 'UNSUPPORTED_CAPABILITY' })
    expect(code).toBe(6)
    expect(rig.model.seen).toEqual([])
  })

  // One has its agents by a feature, the other by what the catalogue says of the model.
  test.each(['loopback-model', 'gpt-6.2-sol'])(
    'a cap takes the agents of %s away, and only a cap',
    async (model) => {
      await using rig = await Rig.of(codexNative)
      rig.model.when('Go.', say('Done.'))
      await rig.run('Go.', { flags: ['--model', model] })
      expect(rig.model.turns('Go.')[0]?.asked.tools).toContain('spawn_agent')
      await rig.run('Go.', { flags: ['--model', model, '--max-depth', '1'] })
      const { tools = [] } = rig.model.turns('Go.')[1]?.asked ?? {}
      expect(tools).not.toContain('spawn_agent')
      expect(tools.length).toBeGreaterThan(1)
      const call = {
        do: 'call',
        tool: 'spawn_agent',
        input: { message: 'x', task_name: 'x' },
        unoffered: true,
      } as const
      for (const namespace of ['multi_agent_v1', 'collaboration']) {
        rig.model.when(`Call ${namespace}.`, { ...call, namespace }, say('Refused.'))
        const flags = ['--model', model, '--max-depth', '1']
        const { document } = await rig.run(`Call ${namespace}.`, { flags })
        expect(document.text).toBe('Refused.')
      }
      expect(rig.model.seen.filter(({ turn }) => turn === undefined)).toEqual([])
    },
  )

  test("the user's own file can not bring them back", async () => {
    await using rig = await Rig.of(codexNative)
    rig.model.when('Go.', say('Done.'))
    const { configure } = codexNative
    rig.configure = (...args) => {
      const env = configure(...args)
      const file = join(rig.workspace.config, 'config.toml')
      writeFileSync(file, '\n[agents]\nenabled = true\n[features]\nmulti_agent_v2 = true\n', { flag: 'a' })
      return env
    }
    await rig.run('Go.', { flags: ['--max-depth', '0'] })
    expect(rig.model.turns('Go.')[0]?.asked.tools).not.toContain('spawn_agent')
  })

  test('an answer that does not fit the schema is no success', async () => {
    await using rig = await Rig.of(codexNative)
    rig.model.when('Go.', say('not json'))
    const { code } = await rig.run('Go.', { flags: ['--json-schema', '{"type":"object"}'] })
    expect(code).toBe(8)
  })

  test('the prompt arrives byte by byte, however long, and is no option', async () => {
    await using rig = await Rig.of(codexNative)
    const prompt = `--help ${'ä\n'.repeat(70_000)}`
    rig.model.when(prompt, say('Read.'))
    const file = join(rig.workspace.root, 'prompt.txt')
    writeFileSync(file, prompt)
    const { document } = await rig.run('', { flags: ['--file', file] })
    expect(document).toMatchObject({ status: 'completed', text: 'Read.' })
  })

  test('nothing but the model is ever called, whatever else could be reached', async () => {
    await using rig = await Rig.of(codexNative)
    const reached: string[] = []
    const proxy = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.destroy()
    }).on('connect', ({ url }, socket) => {
      reached.push(url ?? '')
      socket.destroy()
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const way = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    rig.model.when('Go.', say('Done.'))
    const { document } = await rig.run('Go.', { env: { HTTPS_PROXY: way, HTTP_PROXY: way } })
    proxy.close()
    expect(document.status).toBe('completed')
    expect(reached).toEqual([])
    expect(new Set(rig.model.seen.map(({ path }) => path))).toEqual(new Set(['/v1/responses']))
    expect(rig.model.turns('Go.')).toHaveLength(1)
  })
})
