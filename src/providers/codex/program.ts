/** The native program of Codex: what npm puts on PATH is a script in front of it, which costs a start of Node. */
import { accessSync, constants, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const entries = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const located = (program: string, path: string): string | undefined => {
  if (program.includes('/')) return program
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).find(isExecutable)
}

/** Of a script `…/@openai/codex/bin/codex.js` the program that its package brings along; else what was given. */
export const nativeProgram = (program: string, path: string = ''): string => {
  const found = located(program, path)
  if (found === undefined) return program
  let script: string
  try {
    script = realpathSync(found)
  } catch {
    return program
  }
  if (!script.endsWith('/codex/bin/codex.js')) return program
  const home = dirname(dirname(script))
  const platform = `codex-${process.platform}-${process.arch}`
  const packages = [join(dirname(home), platform), join(home, 'node_modules', '@openai', platform)]
  const programs = packages
    .map((pack) => join(pack, 'vendor'))
    .flatMap((vendor) => entries(vendor).map((triple) => join(vendor, triple, 'bin', 'codex')))
  return programs.find(isExecutable) ?? program
}
