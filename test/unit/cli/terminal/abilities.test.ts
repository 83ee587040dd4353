/** When lines may be redrawn and colours shown. */
import { expect, test } from 'vitest'
import { abilitiesOf } from '../../../../src/cli/terminal/abilities.ts'

const TTY = { isTTY: true }
const ALL = { live: true, colors: true, unicode: true }

test.each([
  ['a terminal has live lines and colours', TTY, { TERM: 'xterm', LANG: 'en_US.UTF-8' }, ALL],
  ['a pipe has neither', {}, { TERM: 'xterm' }, { live: false, colors: false, unicode: true }],
  ['TERM=dumb has neither', TTY, { TERM: 'dumb' }, { live: false, colors: false, unicode: true }],
  ['NO_COLOR takes the colours alone', TTY, { TERM: 'xterm', NO_COLOR: '1' }, { ...ALL, colors: false }],
  ['an empty NO_COLOR says nothing', TTY, { TERM: 'xterm', NO_COLOR: '' }, ALL],
  [
    'a locale without UTF-8 gets plain signs',
    TTY,
    { LC_ALL: 'C', LANG: 'en_US.UTF-8' },
    { ...ALL, unicode: false },
  ],
])('%s', (_, stream, env, expected) => {
  expect(abilitiesOf(stream, env)).toEqual(expected)
})
