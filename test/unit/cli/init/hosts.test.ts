/** Where editors keep their configuration, and which words start Subgate from there. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isInstalled, placesHere } from '../../../../src/cli/init/detect.ts'
import { EDITOR_HOSTS } from '../../../../src/cli/init/hosts.ts'
import type { EditorHost, Machine } from '../../../../src/cli/init/hosts.ts'
import { isPassing, lastingPath, ownCommand } from '../../../../src/cli/own-command.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-hosts-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const host = (name: string): EditorHost => {
  const found = EDITOR_HOSTS.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(name)
  return found
}

const files = (name: string, machine: Partial<Machine> = {}): readonly string[] =>
  host(name)
    .places({ home: '/home/me', env: {}, platform: 'linux', ...machine })
    .map(({ file }) => file)

describe('where the entry goes', () => {
  test.each([
    [
      'zed',
      {},
      ['/home/me/.config/zed/settings.json', '/home/me/.var/app/dev.zed.Zed/config/zed/settings.json'],
    ],
    ['zed', { platform: 'darwin', env: { XDG_CONFIG_HOME: '/x' } }, ['/home/me/.config/zed/settings.json']],
    ['jetbrains', { env: { XDG_CONFIG_HOME: '/x' } }, ['/home/me/.jetbrains/acp.json']],
    ['neovim', {}, ['/home/me/.config/nvim/lua/subgate.lua']],
    ['neovim', { env: { XDG_CONFIG_HOME: '/x', NVIM_APPNAME: 'my/vim' } }, ['/x/my/vim/lua/subgate.lua']],
    ['neovim', { env: { XDG_CONFIG_HOME: 'relative' } }, ['/home/me/.config/nvim/lua/subgate.lua']],
  ] as const)('%s with %j', (name, machine, expected) => {
    expect(files(name, machine)).toEqual(expected)
  })

  test('Zed follows XDG_CONFIG_HOME on Linux', () => {
    expect(files('zed', { env: { XDG_CONFIG_HOME: '/x' } })[0]).toBe('/x/zed/settings.json')
  })
})

describe('what is here', () => {
  const machine = (home: string, PATH = ''): Machine => ({
    home: join(root, home),
    env: { PATH },
    platform: 'linux',
  })

  test('a folder of the editor shows it, and decides which of its files is meant', () => {
    const flatpak = join(root, 'flatpak/.var/app/dev.zed.Zed/config/zed')
    mkdirSync(flatpak, { recursive: true })
    expect(isInstalled(host('zed'), machine('flatpak'))).toBe(true)
    expect(placesHere(host('zed'), machine('flatpak')).map(({ file }) => file)).toEqual([
      join(flatpak, 'settings.json'),
    ])
    expect(isInstalled(host('neovim'), machine('flatpak'))).toBe(false)
  })

  test('a program on PATH shows it too; then its usual file is meant', () => {
    const bin = join(root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'zeditor'), '')
    expect(isInstalled(host('zed'), machine('none', `:${bin}`))).toBe(true)
    expect(placesHere(host('zed'), machine('none')).map(({ file }) => file)).toEqual([
      join(root, 'none/.config/zed/settings.json'),
    ])
    expect(isInstalled(host('zed'), machine('none'))).toBe(false)
  })
})

describe('the words that start Subgate', () => {
  const real = join(root, 'Cellar/node/24.1.0/bin/node')
  mkdirSync(join(real, '..'), { recursive: true })
  writeFileSync(real, '')
  chmodSync(real, 0o755)
  const link = (folder: string): string => {
    mkdirSync(join(root, folder), { recursive: true })
    symlinkSync(real, join(root, folder, 'node'))
    return join(root, folder)
  }
  const started = (path: string): Parameters<typeof ownCommand>[0] => ({
    execPath: real,
    script: '/s/subgate',
    path,
  })

  test('a lasting name of this Node goes before the folder of its version', () => {
    const lasting = link('homebrew/bin')
    expect(ownCommand(started(`/nowhere:${lasting}`))).toEqual([join(lasting, 'node'), '/s/subgate'])
  })

  test.each(['project/node_modules/.bin', 'state/fnm_multishells/1_2/bin'])(
    '%s is no lasting name',
    (folder) => {
      expect(ownCommand(started(link(folder)))).toEqual([real, '/s/subgate'])
    },
  )

  test('another Node on PATH is none of ours', () => {
    const other = join(root, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'node'), '')
    expect(ownCommand(started(other))).toEqual([real, '/s/subgate'])
  })

  test('of a PATH that which lasts is kept, once', () => {
    expect(lastingPath('/a:/p/node_modules/.bin:rel:/s/fnm_multishells/1/bin::/b:/a')).toBe('/a:/b')
  })

  test("a copy that npx made is told apart, as it doesn't last", () => {
    expect(isPassing(['/n', '/home/me/.npm/_npx/1a/node_modules/subgate/bin/subgate.js'])).toBe(true)
    expect(isPassing(['/n', '/usr/lib/node_modules/subgate/bin/subgate.js'])).toBe(false)
  })
})
