/** Answers of earlier handshakes, kept on disk for a day so that a refusal needs no process (law 1). */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SubagentCapabilities, Support } from '../contract/capabilities.ts'
import { isRecord } from '../contract/json.ts'
import type { AgentOffer } from '../contract/offer.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What these start depends on more than their own file: their answers are not remembered. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  'npx npm pnpm pnpx yarn bunx uvx uv pipx sh bash dash zsh fish ssh docker podman env sudo'.split(' '),
)

const identityOf = (path: string): string | undefined => {
  try {
    const real = realpathSync(path)
    const stats = statSync(real)
    return stats.isFile() ? `${real} ${stats.size} ${stats.mtimeMs}` : undefined
  } catch {
    // Not a file, or gone: then the command line alone is its identity.
    return undefined
  }
}

/** One start asks several times, and the first of a process's hashes is the slowest. */
let last = { text: '', key: '' }

const hashed = (text: string): string => {
  if (last.text !== text) last = { text, key: hash('sha256', text) }
  return last.key
}

/**
 * Names a command line together with the identity of its program and of each argument that is a file.
 * `declared` is what else the answers were bounded by, such as the operator's word that the agent asks.
 * Undefined for launchers, and where the program can't be found.
 */
export const commandKey = (
  program: string,
  args: readonly string[],
  cwd: string,
  declared: readonly unknown[] = [],
): string | undefined => {
  if (LAUNCHERS.has(basename(program))) return undefined
  const identity = identityOf(program)
  if (identity === undefined) return undefined
  const files = args.map((argument) => identityOf(resolve(cwd, argument)) ?? '')
  return hashed(JSON.stringify([program, args, identity, files, declared]))
}

/** What a handshake says beside the rows. */
export type Fact = `mcp.${'http' | 'sse' | 'acp'}` | 'session.close'

/** Only what the agent itself answered. */
export type Answers = Partial<SubagentCapabilities> & Partial<Readonly<Record<Fact, Support>>>

const SUPPORTS: ReadonlySet<unknown> = new Set<Support>(['none', 'emulated', 'native'])

const isRows = (value: unknown): value is Answers =>
  isRecord(value) && Object.values(value).every((support) => SUPPORTS.has(support))

export interface Remembered<T> {
  /** `maxAgeMs` is a day when absent. */
  recall(key: string | undefined, maxAgeMs?: number): T | undefined
  remember(key: string | undefined, value: T): void
}

export type RememberedAnswers = Remembered<Answers>
export type RememberedOffers = Remembered<AgentOffer>

/** Losing an answer costs one more handshake, so what can't be read or written is passed over. */
const onDisk = <T>(
  pathOf: (key: string) => string,
  now: () => number,
  read: (file: unknown) => T | undefined,
  write: (value: T) => object,
): Remembered<T> => {
  const recall: Remembered<T>['recall'] = (key, maxAgeMs = DAY_MS) => {
    if (key === undefined) return undefined
    try {
      const file: unknown = JSON.parse(readFileSync(pathOf(key), 'utf8'))
      const age = now() - (isRecord(file) ? Number(file['at']) : Number.NaN)
      return age >= 0 && age < maxAgeMs ? read(file) : undefined
    } catch {
      return undefined
    }
  }
  return {
    recall,
    remember: (key, value) => {
      if (key === undefined) return
      if (JSON.stringify(recall(key)) === JSON.stringify(value)) return
      const path = pathOf(key)
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        const fresh = `${path}.${process.pid}.${now()}`
        writeFileSync(fresh, JSON.stringify({ at: now(), ...write(value) }), { mode: 0o600 })
        renameSync(fresh, path)
      } catch {
        // A read-only or full disk: the next start asks the agent again.
      }
    },
  }
}

export const rememberedAnswers = (directory: string, now: () => number = Date.now): RememberedAnswers =>
  onDisk(
    (key) => join(directory, `${key}.json`),
    now,
    (file) => (isRecord(file) && isRows(file['capabilities']) ? file['capabilities'] : undefined),
    (capabilities) => ({ capabilities }),
  )

/** What an agent's sessions let a person choose as they begin, so that it can be shown before one is there. */
export const rememberedOffers = (directory: string, now: () => number = Date.now): RememberedOffers =>
  onDisk(
    (key) => join(directory, `${key}.offer.json`),
    now,
    (file) => (isRecord(file) && isRecord(file['offer']) ? (file['offer'] as AgentOffer) : undefined),
    (offer) => ({ offer }),
  )
