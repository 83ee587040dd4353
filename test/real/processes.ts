/** Who is still alive of a test's process tree: every process that has the test's folder in its environment. */
import { readdirSync, readFileSync } from 'node:fs'

export interface LiveProcess {
  readonly pid: number
  readonly command: string
}

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

export const liveIn = (folder: string): readonly LiveProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'environ').includes(folder))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))

export const variableOf = (pid: number, name: string): string | undefined =>
  read(String(pid), 'environ')
    .split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1)
