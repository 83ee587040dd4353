/** What the example agent does for each command, told as plan, tool calls and messages. */
import { readdir, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { HELP, parseCommands } from './commands.ts'
import type { Command, Step } from './commands.ts'
import { delegate } from './delegate.ts'
import type { Turn } from './turn.ts'
import { locate, Problem, readText } from './workspace.ts'

/** Performs the steps of a prompt in order; a step that fails ends the turn with an explanation. */
export const perform = async (turn: Turn, prompt: string): Promise<void> => {
  const steps = parseCommands(prompt)
  const unknown = steps.find((step) => step.command === undefined)
  if (steps.every((step) => step.command === undefined)) return turn.say(HELP)
  if (unknown !== undefined)
    return turn.say(`I did nothing, because I don't understand "${unknown.words}".\n\n${HELP}`)
  for (const [done, step] of steps.entries()) {
    await turn.update(plan(steps, done))
    try {
      await turn.say(await act(turn, step.command!))
    } catch (error) {
      if (turn.signal.aborted || !(error instanceof Problem)) throw error
      return turn.say(error.message)
    }
  }
  return turn.update(plan(steps, steps.length))
}

const plan = (steps: readonly Step[], done: number): acp.SessionUpdate => ({
  sessionUpdate: 'plan',
  entries: steps.map(({ words }, index) => ({
    content: words,
    priority: 'medium',
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  })),
})

/** Does one command and returns what to say about it. */
const act = async (turn: Turn, command: Command): Promise<string> => {
  switch (command.do) {
    case 'read':
      return read(turn, command.path, `Read ${command.path}`)
    case 'count': {
      const { what, path } = command
      const text = await read(turn, path, `Count ${what} in ${path}`)
      const found = count(text)[what]
      return `${path} has ${found} ${found === 1 ? what.slice(0, -1) : what}.`
    }
    case 'list': {
      const path = await locate(turn.session.roots, command.path)
      const tool = { title: `List ${command.path}`, kind: 'read', path } as const
      return (await turn.tool(tool, async () => listing(path, command.path)))!
    }
    case 'write':
      return edit(turn, command.path, `Write ${command.path}`, () => `${command.text}\n`)
    case 'append':
      return edit(turn, command.path, `Append to ${command.path}`, (old) => `${old}${command.text}\n`)
    case 'replace': {
      const { path, from, to } = command
      return edit(turn, path, `Replace "${from}" with "${to}" in ${path}`, (old) => {
        if (!old.includes(from)) throw new Problem(`${path} doesn't contain "${from}".`)
        return old.replaceAll(from, () => to)
      })
    }
    case 'delegate': {
      const tool = { title: `Delegate: ${command.prompt}`, kind: 'execute' } as const
      const [cwd = '/'] = turn.session.roots
      return (await turn.tool(tool, async () => delegate(command.prompt, cwd, turn.signal)))!
    }
    case 'sleep':
      await sleep(command.ms, undefined, { signal: turn.signal })
      return `I waited for ${command.ms} ms.`
    case 'hang':
      return hang(turn.signal)
    case 'fail':
      break
  }
  throw new acp.RequestError(-32603, command.message)
}

const hang = async (signal: AbortSignal): Promise<never> => {
  for (;;) await sleep(60_000, undefined, { signal })
}

const read = async (turn: Turn, name: string, title: string): Promise<string> => {
  const path = await locate(turn.session.roots, name)
  const tool = { title, kind: 'read', path } as const
  return (await turn.tool(tool, async () => readText(path, name)))!
}

const edit = async (
  turn: Turn,
  name: string,
  title: string,
  change: (old: string) => string,
): Promise<string> => {
  const path = await locate(turn.session.roots, name)
  const old = await readText(path, name).catch((error: Error) => {
    if (title.startsWith('Replace') || !error.message.startsWith('There is no')) throw error
    return undefined
  })
  const newText = change(old ?? '')
  const tool = { title, kind: 'edit', path } as const
  const done = await turn.tool(
    tool,
    async () => {
      // Looked up again: while the person thought, a link may have taken the file's place.
      await writeFile(await locate(turn.session.roots, name), newText)
      return `${title}: done.`
    },
    { path, oldText: old ?? null, newText },
  )
  return done ?? `I left ${name} as it was.`
}

const listing = async (path: string, name: string): Promise<string> => {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) throw new Problem(`There is no folder ${name}.`)
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  return names.length === 0 ? `${name} is empty.` : names.toSorted().join('\n')
}

const count = (text: string): { words: number; lines: number; characters: number } => ({
  words: text.split(/\s+/v).filter(Boolean).length,
  lines: text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0),
  characters: [...new Intl.Segmenter().segment(text)].length,
})
