/** `subgate init`: writes Subgate's entry into an editor's own configuration, once its person has seen and confirmed it. */
import { homedir } from 'node:os'
import { SubagentError } from '../../contract/errors.ts'
import { closest } from '../../contract/parse.ts'
import { present } from '../../contract/present.ts'
import type { Io } from '../io.ts'
import { isPassing, lastingPath, ownCommand, thisProgram } from '../own-command.ts'
import { confirmed } from '../yes-no.ts'
import { isInstalled, placesHere } from './detect.ts'
import { diffText } from './diff.ts'
import { EDITOR_HOSTS } from './hosts.ts'
import type { EditorHost, Machine } from './hosts.ts'
import { JsoncFault } from './jsonc.ts'
import type { Plan, Wish } from './plan.ts'
import { readSettings, settingsFault, writeSettings } from './settings-file.ts'

export interface InitFlags {
  readonly provider?: string
  readonly name: string
  readonly yes?: true
  readonly print?: true
}

const usage = (message: string, data: { field?: string; suggestion?: string }): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, data)

export const initCommand = async (editor: string | undefined, flags: InitFlags, io: Io): Promise<number> => {
  const machine: Machine = { home: homedir(), env: io.env, platform: process.platform }
  const hosts = editor === undefined ? installed(machine) : [named(editor)]
  const launch = ownCommand(thisProgram(io.env))
  const path = lastingPath(io.env['PATH'] ?? '')
  const wish: Wish = { name: flags.name, launch, path, ...present({ provider: flags.provider }) }
  if (flags.print === true) {
    for (const host of hosts) io.stdout.write(host.entry(wish))
    return 0
  }
  if (isPassing(launch))
    io.say(`${launch[1]} is a copy of npx, which may be gone one day. Better: npm install -g subgate`)
  const targets = hosts.flatMap((host) => placesHere(host, machine).map(({ file }) => ({ host, file })))
  // What is wrong with one editor's file is no reason to leave the others out.
  const faults: SubagentError[] = []
  for (const { host, file } of targets) {
    try {
      await carryOut({ host, file, ...planFor(host, file, wish) }, editor, flags, io)
    } catch (error) {
      if (!SubagentError.is(error)) throw error
      if (!faults.some(({ message }) => message === error.message)) faults.push(error)
    }
  }
  for (const { message } of faults.slice(0, -1)) io.say(message)
  const last = faults.at(-1)
  if (last !== undefined) throw last
  return 0
}

const named = (editor: string): EditorHost => {
  const host = EDITOR_HOSTS.find(({ name }) => name === editor)
  if (host !== undefined) return host
  const names = EDITOR_HOSTS.map(({ name }) => name)
  const suggestion = closest(editor, names)
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  throw usage(
    `No editor is known as "${editor}".${hint} There are: ${names.join(', ')}; docs/editors says what to write for others.`,
    { field: 'editor', ...present({ suggestion }) },
  )
}

const installed = (machine: Machine): readonly EditorHost[] => {
  const here = EDITOR_HOSTS.filter((host) => isInstalled(host, machine))
  if (here.length > 0) return here
  const names = EDITOR_HOSTS.map(({ name }) => name)
  throw usage(
    `No editor was found here. Name one: ${names.map((name) => `subgate init ${name}`).join(', ')}`,
    {
      field: 'editor',
    },
  )
}

const planFor = (
  { plan }: EditorHost,
  file: string,
  wish: Wish,
): { readonly before: string | undefined; readonly plan: Plan } => {
  const before = readSettings(file)
  try {
    return { before, plan: plan(before, wish) }
  } catch (error) {
    if (!(error instanceof JsoncFault)) throw error
    throw settingsFault(
      file,
      `${error.message}. Correct it, or add the entry by hand: subgate init --print shows it.`,
    )
  }
}

interface Target {
  readonly host: EditorHost
  readonly file: string
  readonly before: string | undefined
  readonly plan: Plan
}

const carryOut = async (
  { host, file, before, plan }: Target,
  editor: string | undefined,
  flags: InitFlags,
  io: Io,
): Promise<void> => {
  if (plan.kind === 'same') {
    io.say(`${host.title}: ${file} has the entry already; nothing is to do.`)
    return
  }
  io.stdout.write(`${file}\n${diffText(before ?? '', plan.text)}`)
  await io.stdout.flushed()
  if (plan.kind === 'foreign') io.say(`"${flags.name}" is there already, for something else: ${plan.what}`)
  if (!(await agreed(plan, editor, flags, io))) {
    io.say(`${file} was left as it is.`)
    return
  }
  const backup = writeSettings(file, before, plan.text, new Date())
  io.say(
    `${host.title}: ${file} was written${backup === undefined ? '' : `; before: ${backup}`}.\n${host.next}`,
  )
}

const agreed = async (
  plan: Exclude<Plan, { readonly kind: 'same' }>,
  editor: string | undefined,
  { yes }: InitFlags,
  io: Io,
): Promise<boolean> => {
  const foreign = plan.kind === 'foreign'
  if (yes === true && !foreign) return true
  if (yes !== true && io.isInteractive) return confirmed(foreign ? 'Replace it?' : 'Write it?', io)
  if (foreign)
    throw usage(`What isn't Subgate's is replaced only by a person at a terminal. ${plan.instead}`, {
      field: '--yes',
    })
  const line = ['subgate init', ...(editor === undefined ? [] : [editor]), '--yes'].join(' ')
  throw usage(`Nobody is here to confirm it, so nothing was written. Type: ${line}`, { field: '--yes' })
}
