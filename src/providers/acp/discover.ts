/** Which known agents are installed: their programs on PATH. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { KNOWN_AGENTS } from './agents.ts'
import type { KnownAgent } from './agents.ts'

export interface FoundAgent {
  readonly agent: KnownAgent
  /** Absolute path of the program; absent when it isn't installed. */
  readonly program?: string
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Every known agent, with where its program was found. */
export const discoverAgents = (path: string): readonly FoundAgent[] => {
  const directories = path.split(delimiter).filter((directory) => directory !== '')
  const found = new Map<string, string | undefined>()
  const locate = (program: string): string | undefined => {
    if (!found.has(program)) {
      found.set(program, directories.map((directory) => join(directory, program)).find(isExecutable))
    }
    return found.get(program)
  }
  return KNOWN_AGENTS.map((agent) => {
    const program = locate(agent.program)
    return { agent, ...(program !== undefined && { program }) }
  })
}
