/** `subgate init`: an editor's own configuration is changed once, safely, and only when its person agrees. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROGRAM } from './built.ts'
import { Rig } from './cli-rig.ts'
import type { Ended } from './cli-rig.ts'

const zedFile = (rig: Rig): string => join(rig.root, 'config/zed/settings.json')
const nvimFile = (rig: Rig): string => join(rig.root, 'config/nvim/lua/subgate.lua')
const jetbrainsFile = (rig: Rig): string => join(rig.root, 'home/.jetbrains/acp.json')

/** No editor of the machine itself is found. */
const bare = { env: { PATH: '/nowhere' } }

const put = (file: string, content: string | Buffer): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

const ENTRY = {
  type: 'custom',
  command: process.execPath,
  args: [PROGRAM, 'acp'],
  env: {},
}

const SETTINGS =
  '// mine\n{\n  "theme": "One Dark", // nice\n  "agent_servers": {\n    // "Old": {},\n  },\n}\n'
const WRITTEN = SETTINGS.replace(
  '    // "Old": {},\n',
  '    // "Old": {},\n    "Subgate": {\n      "type": "custom",\n' +
    `      "command": ${JSON.stringify(process.execPath)},\n      "args": [${JSON.stringify(PROGRAM)}, "acp"],\n      "env": {}\n    }\n`,
)

describe('without a terminal', () => {
  test('the change is shown, nothing is written, and exit 2 says what to type', async () => {
    await using rig = new Rig()
    put(zedFile(rig), SETTINGS)
    const { code, stdout, stderr } = await rig.run(['init', 'zed'], bare)
    expect(code).toBe(2)
    expect(stdout).toContain(`${zedFile(rig)}\n@@ line 3 @@\n`)
    expect(stdout).toContain('+    "Subgate": {\n+      "type": "custom",\n')
    expect(stderr).toBe(
      'Nobody is here to confirm it, so nothing was written. Type: subgate init zed --yes\n',
    )
    expect(readFileSync(zedFile(rig), 'utf8')).toBe(SETTINGS)
    expect(readdirSync(dirname(zedFile(rig)))).toEqual(['settings.json'])
  })

  test('--yes writes it behind a link, keeps comments and permissions, and a backup of what was', async () => {
    await using rig = new Rig()
    const real = join(rig.root, 'dotfiles/zed.json')
    put(real, SETTINGS)
    chmodSync(real, 0o640)
    mkdirSync(dirname(zedFile(rig)), { recursive: true })
    symlinkSync('../../dotfiles/zed.json', zedFile(rig))
    const first = await rig.run(['init', 'zed', '--yes'], bare)
    expect(first.code).toBe(0)
    expect(readFileSync(real, 'utf8')).toBe(WRITTEN)
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(lstatSync(zedFile(rig)).isSymbolicLink()).toBe(true)
    const [backup = '', ...others] = readdirSync(dirname(zedFile(rig))).filter((name) =>
      name.endsWith('.bak'),
    )
    expect(others).toEqual([])
    expect(backup).toMatch(/^settings\.json\.subgate-\d{8}T\d{9}Z\.bak$/u)
    expect(first.stderr).toContain(backup)
    const kept = join(dirname(zedFile(rig)), backup)
    expect(readFileSync(kept, 'utf8')).toBe(SETTINGS)
    expect(statSync(kept).mode & 0o777).toBe(0o640)
    expect(readdirSync(dirname(real))).toEqual(['zed.json'])

    const second = await rig.run(['init', 'zed', '--yes'], bare)
    expect(second).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Zed: ${zedFile(rig)} has the entry already; nothing is to do.\n`,
    })
    expect(readFileSync(real, 'utf8')).toBe(WRITTEN)
    expect(readdirSync(dirname(zedFile(rig)))).toHaveLength(2)
  })

  test('CRLF and a byte order mark stay as they are', async () => {
    await using rig = new Rig()
    const windows = (text: string): string => `\u{FEFF}${text.replaceAll('\n', '\r\n')}`
    put(zedFile(rig), windows(SETTINGS))
    expect((await rig.run(['init', 'zed', '--yes'], bare)).code).toBe(0)
    expect(readFileSync(zedFile(rig), 'utf8')).toBe(windows(WRITTEN))
  })

  test('a file that is missing is made, with its folder, also where a link leads to nothing', async () => {
    await using rig = new Rig()
    expect((await rig.run(['init', 'jetbrains', '--yes'], bare)).code).toBe(0)
    const { type: _, ...plain } = ENTRY
    expect(JSON.parse(readFileSync(jetbrainsFile(rig), 'utf8'))).toEqual({
      agent_servers: { Subgate: { ...plain, env: { PATH: '/nowhere' } } },
    })
    expect(readdirSync(dirname(jetbrainsFile(rig)))).toEqual(['acp.json'])
    mkdirSync(dirname(zedFile(rig)), { recursive: true })
    symlinkSync(join(rig.root, 'dotfiles/zed/settings.json'), zedFile(rig))
    expect((await rig.run(['init', 'zed', '--yes'], bare)).code).toBe(0)
    expect(JSON.parse(readFileSync(join(rig.root, 'dotfiles/zed/settings.json'), 'utf8'))).toEqual({
      agent_servers: { Subgate: ENTRY },
    })
    expect(lstatSync(zedFile(rig)).isSymbolicLink()).toBe(true)
  })

  test.each<readonly [string, string | Buffer, RegExp]>([
    ['malformed', '{ "a": }', /: it is no JSON: value expected at line 1, column 8\. Correct it/u],
    ['of another shape', '{ "agent_servers": [] }', /: "agent_servers" is no object\. Correct it/u],
    [
      'in another encoding',
      Buffer.from([0xff, 0xfe, 0x7b, 0]),
      /: it is no UTF-8 text\. Save it as UTF-8\./u,
    ],
  ])('a file that is %s is named and left as it is', async (_name, content, message) => {
    await using rig = new Rig()
    put(zedFile(rig), content)
    const { code, stdout, stderr } = await rig.run(['init', 'zed', '--yes'], bare)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`${zedFile(rig)} was left as it is`)
    expect(stderr).toMatch(message)
    expect(readFileSync(zedFile(rig))).toEqual(Buffer.from(content))
    expect(readdirSync(dirname(zedFile(rig)))).toEqual(['settings.json'])
  })

  test('what is no file, and a folder that is none, are said with the error of the system', async () => {
    await using rig = new Rig()
    mkdirSync(zedFile(rig), { recursive: true })
    expect((await rig.run(['init', 'zed', '--yes'], bare)).stderr).toContain("it can't be read (EISDIR)")
    put(join(rig.root, 'home/.jetbrains'), 'a file')
    const { code, stderr } = await rig.run(['init', 'jetbrains', '--yes'], bare)
    expect(code).toBe(2)
    expect(stderr).toContain("it can't be read (ENOTDIR)")
  })

  test("an entry of our name that is somebody else's is never replaced, and a second name stands beside it", async () => {
    await using rig = new Rig()
    const foreign = '{ "agent_servers": { "Subgate": { "command": "/w.sh", "args": ["x"] } } }'
    put(zedFile(rig), foreign)
    const { code, stderr } = await rig.run(['init', 'zed', '--yes'], bare)
    expect(code).toBe(2)
    expect(stderr).toContain('"Subgate" is there already, for something else: /w.sh x')
    expect(stderr).toContain('--name "Subgate 2"')
    expect(readFileSync(zedFile(rig), 'utf8')).toBe(foreign)
    expect((await rig.run(['init', 'zed', '--yes', '--name', 'Subgate 2'], bare)).code).toBe(0)
    expect(JSON.parse(readFileSync(zedFile(rig), 'utf8'))).toEqual({
      agent_servers: { Subgate: { command: '/w.sh', args: ['x'] }, 'Subgate 2': ENTRY },
    })
  })

  test('without a name, every editor that is here gets its entry; one bad file keeps no other out', async () => {
    await using rig = new Rig()
    put(zedFile(rig), '{')
    mkdirSync(join(rig.root, 'config/nvim'), { recursive: true })
    const { code, stderr } = await rig.run(['init', '--yes'], bare)
    expect(code).toBe(2)
    expect(stderr).toContain(`${zedFile(rig)} was left as it is`)
    expect(stderr).toContain(`Neovim: ${nvimFile(rig)} was written.`)
    expect(readFileSync(nvimFile(rig), 'utf8')).toContain(`M.command = ${JSON.stringify(process.execPath)}\n`)
    expect(existsSync(jetbrainsFile(rig))).toBe(false)
  })

  test.each([
    [
      ['init'],
      'No editor was found here. Name one: subgate init zed, subgate init jetbrains, subgate init neovim',
    ],
    [
      ['init', 'jetbrain'],
      'No editor is known as "jetbrain". Did you mean "jetbrains"? There are: zed, jetbrains, neovim; docs/editors says what to write for others.',
    ],
  ])('%j: exit 2, one message', async (args, message) => {
    await using rig = new Rig()
    expect(await rig.run(args, bare)).toMatchObject({ code: 2, stdout: '', stderr: `${message}\n` })
  })

  test('--print prints the entry alone, and writes nothing', async () => {
    await using rig = new Rig()
    const { code, stdout, stderr } = await rig.run(['init', 'zed', '--print', '-p', 'codex'], bare)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      agent_servers: { Subgate: { ...ENTRY, args: [PROGRAM, 'acp', '--provider', 'codex'] } },
    })
    expect(existsSync(zedFile(rig))).toBe(false)
  })
})

describe('on a terminal', () => {
  const typing = async (rig: Rig, keys: string): Promise<Ended> => {
    const running = rig.start([], {
      shell: 'exec script -qfec "stty cols 200; exec $SUBGATE init zed" /dev/null',
      stdin: 'open',
      env: { SHELL: '/bin/sh', TERM: 'xterm' },
    })
    await running.heard('[y/N]')
    running.child.stdin?.write(keys)
    return running.ended
  }

  test.each([
    ['yes writes it', 'y\n', WRITTEN],
    ['no leaves it', 'n\n', SETTINGS],
    ['the end of input leaves it', '\u0004', SETTINGS],
  ])('%s', async (_name, keys, after) => {
    await using rig = new Rig()
    put(zedFile(rig), SETTINGS)
    const { code, stdout } = await typing(rig, keys)
    expect(code).toBe(0)
    expect(stdout).toContain('"Subgate"')
    expect(readFileSync(zedFile(rig), 'utf8')).toBe(after)
  })

  test('what the editor wrote while the question was open is not lost', async () => {
    await using rig = new Rig()
    put(zedFile(rig), SETTINGS)
    const running = rig.start([], {
      shell: 'exec script -qfec "stty cols 200; exec $SUBGATE init zed" /dev/null',
      stdin: 'open',
      env: { SHELL: '/bin/sh', TERM: 'xterm' },
    })
    await running.heard('[y/N]')
    put(zedFile(rig), '{ "theme": "Ayu" }')
    running.child.stdin?.write('y\n')
    const { code, stdout } = await running.ended
    expect(code).toBe(2)
    expect(stdout).toContain('it was changed while you were asked. Run the command again.')
    expect(readFileSync(zedFile(rig), 'utf8')).toBe('{ "theme": "Ayu" }')
  })
})

test('what was written starts Subgate from an editor that knows no PATH and no HOME', async () => {
  await using rig = new Rig()
  await rig.run(['init', 'zed', '--yes', '--provider', 'spawn'], bare)
  const { agent_servers: servers } = JSON.parse(readFileSync(zedFile(rig), 'utf8')) as {
    agent_servers: Record<string, { command: string; args: string[] }>
  }
  const { command = '', args = [] } = servers['Subgate'] ?? {}
  const child = spawn(command, args, {
    cwd: rig.work,
    env: { PATH: '/nowhere', XDG_STATE_HOME: rig.state, XDG_CONFIG_HOME: join(rig.root, 'config') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const params = { protocolVersion: 1, clientCapabilities: {} }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  expect(JSON.parse(line)).toMatchObject({ id: 0, result: { protocolVersion: 1 } })
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})
