/** A temporary home, project and system file for one test, and the error that a call throws. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { LoadedConfig } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config/layers.ts'
import type { LoadOptions } from '../../../src/config/layers.ts'

export interface House {
  readonly root: string
  readonly home: string
  readonly cwd: string
  readonly user: string
  readonly project: string
  readonly system: string
  /** Writes the files that are given, as JSON, and loads. */
  load(files: Files, more?: Partial<LoadOptions>): LoadedConfig
}

export interface Files {
  readonly user?: unknown
  readonly project?: unknown
  readonly system?: unknown
}

export const write = (file: string, text: string): string => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

export const makeHouse = (): House & Disposable => {
  const root = mkdtempSync(join(tmpdir(), 'subgate-config-'))
  const home = join(root, 'home')
  const cwd = join(home, 'work', 'app')
  mkdirSync(cwd, { recursive: true })
  const files = {
    user: join(home, '.config', 'subgate', 'config.json'),
    project: join(cwd, '.subgate', 'config.json'),
    system: join(root, 'etc', 'config.json'),
  }
  return {
    root,
    home,
    cwd,
    ...files,
    load: (given, more = {}) => {
      for (const layer of ['user', 'project', 'system'] as const) {
        rmSync(files[layer], { force: true })
        if (given[layer] !== undefined) write(files[layer], JSON.stringify(given[layer]))
      }
      return loadConfig({ cwd, home, env: {}, systemFile: files.system, knownAgents: ['codex'], ...more })
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const errorOf = (call: () => unknown): SubagentError => {
  try {
    call()
  } catch (error) {
    if (SubagentError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
