/** Bare `subgate`: which agents are here, what runs, and what to type next. */
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'
import { listProviders } from './providers-command.ts'
import { columns } from './table.ts'

export const homeCommand = async (io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const here = (await listProviders(gateway)).filter(({ group }) => group === 'here')
  const running = gateway.recorded()
  const first = here.find(({ usable }) => usable)?.name
  io.stdout.write(
    'Subgate runs a task on any coding agent; every control is enforced or refused by name.\n\nAgents here\n',
  )
  io.stdout.write(
    indented(columns(here.map(({ name, title, usable, where }) => [name, title, usable ? '' : where]))),
  )
  io.stdout.write('\nRuns\n')
  io.stdout.write(
    running.length === 0
      ? '  none\n'
      : indented(columns(running.map(({ pid, sessionId, command }) => [String(pid), sessionId, command]))),
  )
  io.stdout.write(
    `\nNext\n${indented(
      columns([
        ...(first === undefined
          ? [
              ['subgate run spawn --model rehearsal "…"', 'a first try of the built-in agent, without a key'],
              ['subgate run "…" -- <command>', 'a task for any program that speaks ACP'],
            ]
          : [[`subgate run ${first} "…"`, 'a task, its answer on stdout']]),
        ['subgate acp --provider <name>', 'the same agents in an editor'],
        ['subgate providers', 'what is found here and usable, or why not'],
        ['subgate --help', 'everything else'],
      ]),
    )}`,
  )
  return 0
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gmu, '  ')
