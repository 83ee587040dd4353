/** The `agent_servers` of an editor's JSON settings: our entry added, or brought up to date in place. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { getNodeValue } from 'jsonc-parser'
import type { Node } from 'jsonc-parser'
import { isRecord } from '../../contract/json.ts'
import { JsoncFault, memberOf, readRoot, setAt } from './jsonc.ts'
import type { JsonRecord } from './jsonc.ts'
import type { EditorPlan, Plan, Wish } from './plan.ts'

const SERVERS = 'agent_servers'

const INSTEAD = 'Remove it, or give this one another name, such as --name "Subgate 2".'

interface Needs {
  /** Members beside the command. */
  readonly fixed: JsonRecord
  /** The editor gives its agents a short PATH. */
  readonly path: boolean
}

export const agentServers = (needs: Needs): EditorPlan => ({
  plan: (before = '', wish) => {
    const bom = before.startsWith('\u{FEFF}') ? '\u{FEFF}' : ''
    const text = before.slice(bom.length)
    const plan = planned(text, wish, needs)
    return plan.kind === 'same' ? plan : { ...plan, text: bom + plan.text }
  },
  entry: (wish) => setAt('', [SERVERS, wish.name], freshEntry(wish, needs)),
})

const freshEntry = ({ launch: [command, ...words], provider, path }: Wish, needs: Needs): JsonRecord => ({
  ...needs.fixed,
  command,
  args: [...words, 'acp', ...withProvider([], provider)],
  env: needs.path ? { PATH: path } : {},
})

const planned = (text: string, wish: Wish, needs: Needs): Plan => {
  const path = [SERVERS, wish.name]
  const entry = entryIn(text, wish.name)
  const fresh = (): string => setAt(text, path, freshEntry(wish, needs))
  if (entry === undefined) return { kind: 'write', text: fresh() }
  const value: unknown = getNodeValue(entry)
  const old = isRecord(value) ? value : {}
  const words = [old['command'], ...(Array.isArray(old['args']) ? old['args'] : [])].map(String)
  const verb = words.indexOf('acp')
  if (!words.slice(0, Math.max(0, verb)).some(isOurProgram)) {
    const what = typeof old['command'] === 'string' ? words.join(' ') : JSON.stringify(value)
    return { kind: 'foreign', what, instead: INSTEAD, text: fresh() }
  }
  const [command, ...launch] = wish.launch
  const args = [...launch, ...withProvider(words.slice(verb), wish.provider)]
  const members = Object.entries({ ...needs.fixed, command, args })
    .filter(([key, member]) => !isDeepStrictEqual(old[key], member))
    .reduce((changing, [key, member]) => setAt(changing, [...path, key], member), text)
  const env = isRecord(old['env']) ? old['env'] : {}
  // A PATH that is there is its owner's.
  const lacksPath = needs.path && env['PATH'] === undefined
  const changed = lacksPath ? setAt(members, [...path, 'env', 'PATH'], wish.path) : members
  return changed === text ? { kind: 'same' } : { kind: 'write', text: changed }
}

const entryIn = (text: string, name: string): Node | undefined => {
  const root = readRoot(text)
  const servers = root && memberOf(root, SERVERS)
  if (servers === undefined) return undefined
  if (servers.type !== 'object') throw new JsoncFault(`"${SERVERS}" is no object`)
  const entry = memberOf(servers, name)
  // Each key of it is read and written by name.
  for (const key of ['type', 'command', 'args', 'env']) if (entry?.type === 'object') memberOf(entry, key)
  return entry
}

/** `/…/bin/subgate`, `subgate.js`, `subgate@1.2.3`. */
const isOurProgram = (word: string): boolean => /(?:^|[/\\])subgate(?:\.[cm]?js|@[\w.^~-]+)?$/u.test(word)

/** The words behind the verb with this provider in place of another, or as they are. */
const withProvider = (words: readonly string[], provider: string | undefined): readonly string[] => {
  if (provider === undefined) return words
  const at = words.findIndex((word) => /^(?:-p|--provider)(?:=|$)/u.test(word))
  if (at < 0) return [...words, '--provider', provider]
  const length = words[at]?.includes('=') === true ? 1 : 2
  return words.toSpliced(at, length, '--provider', provider)
}
