/** Which commands a command line declares: each costs a start some time. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../../../src/cli/output.ts'
import { buildProgram, COMMANDS } from '../../../src/cli/program.ts'

const declared = (named: string | undefined): readonly string[] => {
  const io = {
    stdout: new Output(new PassThrough()),
    stdin: () => process.stdin,
    stderr: process.stderr,
    env: {},
    cwd: '/',
    isInteractive: false,
    say: () => {},
  }
  const program = buildProgram(named, { io, command: undefined, done: () => {} })
  return program.commands.map((command) => command.name())
}

test('a command line that names no command declares all of them, in the order of the help', () => {
  for (const named of [undefined, '--help', 'help', 'nonsense']) expect(declared(named)).toEqual(COMMANDS)
})

test.each(COMMANDS.filter((name) => name !== 'help'))(
  'one that names %s declares it, and not all',
  (name) => {
    expect(declared(name)).toContain(name)
    expect(declared(name).length).toBeLessThan(COMMANDS.length)
  },
)
