/** Says why a process could not be started, telling a missing program, interpreter and directory apart (C05). */
import { existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import type { ProcessFacts } from '../contract/errors.ts'

export interface FailedSpawn {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly errno: string
  readonly facts: ProcessFacts
}

export function spawnFailure({ command, cwd, env, errno, facts }: FailedSpawn): SubagentError {
  if (!isDirectory(cwd))
    return new SubagentError(
      'INVALID_REQUEST',
      'spawn',
      `Can't start ${facts.command}: the working directory ${cwd} is not a directory that exists here. Name one that does.`,
      { field: 'cwd' },
    )
  if (errno.startsWith('ERR_'))
    return new SubagentError(
      'INVALID_REQUEST',
      'spawn',
      `Can't start ${facts.command}: its command is empty, or a NUL byte is in the command, its arguments or its environment. Correct the command.`,
      { field: 'command' },
    )
  const program = find(command, cwd, env['PATH'] ?? '')
  if (errno === 'ENOENT' && program === undefined)
    return new SubagentError(
      'AGENT_NOT_FOUND',
      'spawn',
      `Can't start ${facts.command}: there is no program ${command}${isPath(command) ? '' : ' on PATH'}. Install it, or correct the command.`,
      { ...facts, errno },
    )
  return new SubagentError('AGENT_NOT_EXECUTABLE', 'spawn', explain(errno, program ?? command, facts), {
    ...facts,
    errno,
  })
}

const explain = (errno: string, program: string, facts: ProcessFacts): string => {
  switch (errno) {
    case 'ENOENT':
      return `Can't start ${facts.command}: ${program} exists, but the interpreter in its first line doesn't. Install that interpreter, or name another in the command.`
    case 'EACCES':
    case 'EPERM':
      return `Can't start ${facts.command}: ${program} may not be executed (${errno}). Run chmod +x on it, or put its interpreter before it in the command.`
    case 'ENOEXEC':
      return `Can't start ${facts.command}: ${program} is no program for this system (${errno}). Install the build for this system.`
    case 'E2BIG':
      return `Can't start ${facts.command}: its arguments and environment are too long (${errno}). Pass the text on standard input or in a file.`
    default:
      return `Can't start ${facts.command}: the system refused it (${errno}). Free processes, files or memory, and try again.`
  }
}

const isPath = (command: string): boolean => command.includes('/')

const find = (command: string, cwd: string, path: string): string | undefined => {
  const candidates = isPath(command)
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => join(resolve(cwd, folder), command))
  return candidates.find((file) => existsSync(file))
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
