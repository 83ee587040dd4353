/** The native program of Claude Code: where npm ran no install script, what it put on PATH only says so and fails. */
import { accessSync, constants, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import which from 'which'

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Of a stub `…/@anthropic-ai/claude-code/bin/claude.exe` the program beside its package; else what was given. */
export const nativeProgram = (program: string, path: string = ''): string => {
  const found = which.sync(program, { nothrow: true, path })
  if (found === null) return program
  let stub: string
  try {
    stub = realpathSync(found)
  } catch {
    return program
  }
  if (!stub.endsWith('/claude-code/bin/claude.exe')) return program
  const home = dirname(dirname(stub))
  const platform = `claude-code-${process.platform}-${process.arch}`
  const packages = [join(dirname(home), platform), join(home, 'node_modules', '@anthropic-ai', platform)]
  return packages.map((folder) => join(folder, 'claude')).find(isExecutable) ?? program
}
