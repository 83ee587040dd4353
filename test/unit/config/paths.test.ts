import { expect, test } from 'vitest'
import { cacheDir, configDir, dataDir, stateDir } from '../../../src/config/paths.ts'

const all = (env: Record<string, string>): readonly string[] =>
  [configDir, dataDir, stateDir, cacheDir].map((dir) => dir('/home/ada', env))

test('without XDG variables the directories are below the home directory', () => {
  expect(all({})).toEqual([
    '/home/ada/.config/subgate',
    '/home/ada/.local/share/subgate',
    '/home/ada/.local/state/subgate',
    '/home/ada/.cache/subgate',
  ])
})

test('an absolute XDG variable moves its directory', () => {
  const env = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' }
  expect(all(env)).toEqual(['/c/subgate', '/d/subgate', '/s/subgate', '/k/subgate'])
})

test('an empty or relative XDG variable counts as absent, and so does HOME', () => {
  expect(all({ XDG_CONFIG_HOME: '', XDG_DATA_HOME: 'data', HOME: '/elsewhere' }).slice(0, 2)).toEqual([
    '/home/ada/.config/subgate',
    '/home/ada/.local/share/subgate',
  ])
})
