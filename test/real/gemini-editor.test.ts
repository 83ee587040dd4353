/** The real Gemini CLI with a person's editor: it writes there, and is not offered what it can't live with. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSubgate } from '../../src/index.ts'
import { geminiAgent } from './agents.ts'
import { askedClient, FORMS_ALONE } from './asked-client.ts'
import { ModelServer } from './model-server.ts'
import type { Step } from './model/script.ts'
import { Workspace } from './workspace.ts'

const KEY = 'loopback-key-3d90'
const say = (text: string): Step => ({ do: 'say', text })

test('a new file is made in the editor, and nothing on disk', async () => {
  const workspace = new Workspace()
  const model = await ModelServer.start(KEY)
  const folder = join(workspace.env['XDG_CONFIG_HOME'] ?? '', 'subgate')
  mkdirSync(folder, { recursive: true })
  const command = [geminiAgent.command, ...(geminiAgent.args ?? [])]
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ providers: { gemini: { command } } }))
  const own = geminiAgent.configure(workspace, model.url, KEY)
  const gate = await createSubgate({
    cwd: workspace.work,
    home: workspace.env['HOME'] ?? '',
    env: { ...workspace.env, ...own },
    agentEnv: own,
  })
  onTestFinished(async () => {
    await gate[Symbol.asyncDispose]()
    workspace[Symbol.dispose]()
    await model.close()
    expect(model.refused).toEqual([])
  })
  const fresh = join(workspace.work, 'fresh.txt')
  const offer = { ...FORMS_ALONE, readTextFile: true, writeTextFile: true }
  const client = askedClient(offer, [workspace.work], ({ method }) =>
    method === 'fs/write_text_file'
      ? { result: {} }
      : { error: { code: -32002, message: 'ENOENT: no such file' } },
  )
  model.when(
    'Write it.',
    { do: 'call', tool: 'write_file', input: { file_path: fresh, content: 'new\n' } },
    say('Done.'),
  )
  const run = await gate.start('gemini', 'Write it.', { client, answers: true })
  for await (const { event } of run.events()) {
    if (event.type !== 'permission/requested') continue
    const option = event.options.find(({ kind }) => kind === 'allow_once')
    run.respond(event.id, { outcome: 'selected', optionId: option?.optionId ?? '' })
  }
  expect(await run.result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(client.asked.map(({ method, params }) => [method, params['path'], params['content']])).toEqual([
    ['fs/write_text_file', fresh, 'new\n'],
  ])
  expect(existsSync(fresh)).toBe(false)
})
