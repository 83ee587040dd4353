/** Steps of the fake that touch its process rather than its wire. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FakeFact } from './fake-step.ts'

export interface Grandchild {
  readonly ignore?: readonly string[]
  readonly detached?: boolean
  readonly bare?: boolean
  readonly holdsStdout?: boolean
  readonly forMs?: number
}

/** Resolves with its pid when its signal handlers stand. It ends by itself in any case. */
export const startGrandchild = async (options: Grandchild): Promise<number> => {
  const { ignore = [], detached = false, bare = false, holdsStdout = false, forMs = 60_000 } = options
  const program = `
    for (const signal of ${JSON.stringify(ignore)}) process.on(signal, () => {})
    setTimeout(() => {}, ${forMs})
    require('node:fs').writeSync(3, 'ready')
    require('node:fs').closeSync(3)`
  const out = holdsStdout ? 'inherit' : 'ignore'
  const child = spawn(process.execPath, ['-e', program], {
    detached,
    env: bare ? {} : process.env,
    stdio: ['ignore', out, out, 'pipe'],
  })
  child.unref()
  const ready = child.stdio[3]
  if (ready) await once(ready, 'data')
  return child.pid ?? -1
}

export const factsOf = (facts: readonly FakeFact[], received: readonly unknown[]): object => {
  const all: Record<FakeFact, unknown> = {
    env: process.env,
    cwd: process.cwd(),
    argv: process.argv,
    pid: process.pid,
    received,
  }
  return Object.fromEntries(facts.map((fact) => [fact, all[fact]]))
}

export const writeStderr = (text: string): Promise<void> =>
  new Promise((resolve) => {
    process.stderr.write(text, () => resolve())
  })
