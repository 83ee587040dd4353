/** A temporary home with a project in it, for presets in files, and a source that reads them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SubagentError } from '../../../src/contract/errors.ts'
import { presetSource } from '../../../src/presets/source.ts'
import type { PresetCatalog, PresetSourceOptions } from '../../../src/presets/source.ts'

export interface House extends Disposable {
  readonly root: string
  readonly home: string
  readonly project: string
  readonly cwd: string
  /** Writes a file below the project; `~` and `config` stand for the home and the configuration directory. */
  write(path: string, text: string): string
  source(options?: Partial<PresetSourceOptions>): PresetCatalog
}

export const makeHouse = (): House => {
  const root = mkdtempSync(join(tmpdir(), 'subgate-presets-'))
  const home = join(root, 'home')
  const project = join(home, 'work', 'app')
  const cwd = join(project, 'src')
  const configDir = join(root, 'config', 'subgate')
  mkdirSync(cwd, { recursive: true })
  return {
    root,
    home,
    project,
    cwd,
    write: (path, text) => {
      const file = path.startsWith('~/')
        ? join(home, path.slice(2))
        : path.startsWith('config/')
          ? join(configDir, path.slice(7))
          : join(project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    source: (options = {}) => presetSource({ home, configDir, trusted: () => false, ...options }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** A file with these lines of front matter. */
export const preset = (head: string, body = ''): string => `---\n${head}\n---\n${body}`

export const errorOf = (call: () => unknown): SubagentError => {
  try {
    call()
  } catch (error) {
    if (SubagentError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
