/** Bare `subgate`: which agents are here, what runs, and what to type next. */
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'
import { listProviders } from './providers-command.ts'
import { columns } from './table.ts'

export const homeCommand = async (io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const usable = listProviders(gateway).filter(({ usable: here }) => here)
  const running = gateway.recorded()
  const first = usable[0]?.name
  io.stdout.write(
    'Subgate runs a task on any coding agent; every control is enforced or refused by name.\n\nAgents here\n',
  )
  io.stdout.write(
    usable.length === 0
      ? '  none (subgate providers says how to get one)\n'
      : indented(columns(usable.map(({ name, title }) => [name, title]))),
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
        first === undefined
          ? ['subgate run "…" -- <command>', 'a task for any program that speaks ACP']
          : [`subgate run ${first} "…"`, 'a task, its answer on stdout'],
        ['subgate acp --provider <name>', 'the same agents in an editor'],
        ['subgate providers', 'what is found here and usable, or why not'],
        ['subgate --help', 'everything else'],
      ]),
    )}`,
  )
  return 0
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gmu, '  ')
