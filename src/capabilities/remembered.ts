/** Answers of earlier handshakes, kept on disk for a day so that a refusal needs no process (law 1). */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { SubagentCapabilities, Support } from '../contract/capabilities.ts'
import { isRecord } from '../contract/json.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** What these start depends on more than their own file: their answers are not remembered. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  'npx npm pnpm pnpx yarn bunx uvx uv pipx sh bash dash zsh fish ssh docker podman env sudo'.split(' '),
)

const identityOf = (path: string): string | undefined => {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs, isFile } = ((stats) => ({
      size: stats.size,
      mtimeMs: stats.mtimeMs,
      isFile: stats.isFile(),
    }))(statSync(real))
    return isFile ? `${real} ${size} ${mtimeMs}` : undefined
  } catch {
    // Not a file, or gone: then the command line alone is its identity.
    return undefined
  }
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
  return createHash('sha256')
    .update(JSON.stringify([program, args, identity, files, declared]))
    .digest('hex')
}

/** What a handshake says beside the rows. */
export type Fact = `mcp.${'http' | 'sse' | 'acp'}` | 'session.close'

/** Only what the agent itself answered. */
export type Answers = Partial<SubagentCapabilities> & Partial<Readonly<Record<Fact, Support>>>

interface Remembered {
  readonly at: number
  readonly capabilities: Answers
}

const SUPPORTS: ReadonlySet<unknown> = new Set<Support>(['none', 'emulated', 'native'])

const isRows = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((support) => SUPPORTS.has(support))

export interface RememberedAnswers {
  recall(key: string | undefined): Answers | undefined
  remember(key: string | undefined, capabilities: Answers): void
}

/** Losing an answer costs one more handshake, so what can't be read or written is passed over. */
export const rememberedAnswers = (directory: string, now: () => number = Date.now): RememberedAnswers => {
  const file = (key: string): string => join(directory, `${key}.json`)
  const recall: RememberedAnswers['recall'] = (key) => {
    if (key === undefined) return undefined
    try {
      const { at, capabilities } = JSON.parse(readFileSync(file(key), 'utf8')) as Remembered
      const age = now() - at
      return age >= 0 && age < DAY_MS && isRows(capabilities) ? capabilities : undefined
    } catch {
      return undefined
    }
  }
  return {
    recall,
    remember: (key, capabilities) => {
      if (key === undefined) return
      if (JSON.stringify(recall(key)) === JSON.stringify(capabilities)) return
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const fresh = `${file(key)}.${process.pid}.${now()}`
        writeFileSync(fresh, JSON.stringify({ at: now(), capabilities } satisfies Remembered), {
          mode: 0o600,
        })
        renameSync(fresh, file(key))
      } catch {
        // A read-only or full disk: the next start asks the agent again.
      }
    },
  }
}
