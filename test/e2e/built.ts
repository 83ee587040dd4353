/** The built program, as it is run in tests: what `dist` holds is trusted while no source is newer. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const ROOT: string = join(import.meta.dirname, '../..')
const BUNDLE: string = join(ROOT, 'dist/bin/main.js')

export const PROGRAM: string = join(ROOT, 'bin/subgate.js')
export const EXAMPLE_AGENT: string = join(ROOT, 'dist/example-agent.js')

const isFresh = (): boolean => {
  if (!existsSync(BUNDLE) || !existsSync(EXAMPLE_AGENT)) return false
  const built = statSync(BUNDLE).mtimeMs
  const sources = globSync(['src/**/*.ts', 'examples/agent/*.ts', 'scripts/*.ts'], { cwd: ROOT })
  return sources.every((file) => statSync(join(ROOT, file)).mtimeMs <= built)
}

let ensured = false
/** A build that failed is not tried again for every test. */
let failure: Error | undefined

/** Test files run side by side: one builds, and the others wait for it. */
export const ensureBuilt = (): void => {
  ensured ||= isFresh()
  if (ensured) return
  if (failure !== undefined) throw failure
  const folder = join(ROOT, 'node_modules/.cache')
  mkdirSync(folder, { recursive: true })
  const lock = new DatabaseSync(join(folder, 'subgate-build.lock'), { timeout: 120_000 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    if (isFresh()) return
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    if (status !== 0) throw (failure = new Error(`The build failed:\n${stdout}${stderr}`))
    ensured = true
  } finally {
    lock.close()
  }
}
