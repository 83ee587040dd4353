/** The sign-in methods that an editor is offered, by what it can carry out. */
import { expect, test } from 'vitest'
import { signInMethods, terminalSignInOf } from '../../../src/contract/sign-in.ts'

const SELF = ['/opt/node', '/opt/subgate.js'] as const
const WAYS = [{ provider: 'one', title: 'The One' }]

test.each([
  [{ auth: { terminal: true } }, { typed: true, legacy: false }],
  [{ _meta: { 'terminal-auth': true } }, { typed: false, legacy: true }],
  [
    { auth: { terminal: true }, _meta: { 'terminal-auth': true } },
    { typed: true, legacy: true },
  ],
  [
    { auth: { terminal: false }, terminal: true },
    { typed: false, legacy: false },
  ],
  [
    { auth: null, _meta: 7 },
    { typed: false, legacy: false },
  ],
  [undefined, { typed: false, legacy: false }],
])('client capabilities %j', (capabilities, expected) => {
  expect(terminalSignInOf(capabilities)).toEqual(expected)
})

test("an editor that can't run them is offered none, as some authenticate with whatever stands first", () => {
  expect(signInMethods(WAYS, { typed: false, legacy: false }, SELF)).toEqual([])
})

test('each agent has one, with words behind the command of the editor; the last one asks which', () => {
  expect(signInMethods(WAYS, { typed: true, legacy: false }, SELF)).toEqual([
    {
      id: 'login-one',
      name: 'Sign in to The One',
      description: "Runs The One's own sign-in in a terminal",
      type: 'terminal',
      args: ['login', 'one'],
    },
    {
      id: 'login',
      name: 'Sign in to an agent',
      description: 'Asks in a terminal which agent, and runs its own sign-in',
      type: 'terminal',
      args: ['login'],
    },
  ])
})

test('an editor that knows the older form alone gets whole commands, and no type that it never asked for', () => {
  const [first] = signInMethods(WAYS, { typed: false, legacy: true }, SELF)
  expect(first).toEqual({
    id: 'login-one',
    name: 'Sign in to The One',
    description: "Runs The One's own sign-in in a terminal",
    _meta: {
      'terminal-auth': {
        label: 'Sign in to The One',
        command: '/opt/node',
        args: ['/opt/subgate.js', 'login', 'one'],
        env: {},
      },
    },
  })
})
