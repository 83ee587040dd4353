/** Keys that only the start of a process can honour stand beside no module. */
import { expect, test } from 'vitest'
import { refuseProcessKeys } from '../../../src/config/module-keys.ts'
import { errorOf, makeHouse } from './house.ts'

test.each<[object, string]>([
  [{ env: { KEY: 'x' } }, 'env'],
  [{ asks: true }, 'asks'],
  [{ fs: { read: true } }, 'fs'],
  [{ terminal: true }, 'terminal'],
  [{ graces: { eofMs: 1 } }, 'graces.eofMs'],
  [{ graces: { cancelMs: 1, termMs: 1 } }, 'graces.termMs'],
])('%j beside a module is INVALID_CONFIG that names the key', (more, key) => {
  using house = makeHouse()
  const loaded = house.load({ user: { providers: { mine: { module: './mine.mjs', ...more } } } })
  const error = errorOf(() => refuseProcessKeys('mine', loaded))
  expect(error).toMatchObject({
    code: 'INVALID_CONFIG',
    data: { file: house.user, key: `providers.mine.${key}` },
  })
  expect(error.message).toContain(`"providers.mine.${key}" stands beside a "module"`)
})

test('a key of a lower layer counts too, and its file is named', () => {
  using house = makeHouse()
  const loaded = house.load({
    user: { providers: { codex: { terminal: true } } },
    system: { providers: { codex: { module: 'corporate' } } },
  })
  expect(errorOf(() => refuseProcessKeys('codex', loaded)).data).toMatchObject({
    file: house.user,
    key: 'providers.codex.terminal',
  })
})

test('what every provider honours may stand there, and so may what asks for nothing', () => {
  using house = makeHouse()
  const honoured = { permission: 'deny', concurrency: 2, graces: { cancelMs: 5 } }
  const off = { terminal: false, fs: { read: false }, asks: false }
  const loaded = house.load({ user: { providers: { mine: { module: './mine.mjs', ...honoured, ...off } } } })
  expect(() => refuseProcessKeys('mine', loaded)).not.toThrow()
})
