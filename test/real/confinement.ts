/** What Claude Code's own sandbox needs, as far as it is here: programs on the PATH, and namespaces that may be made. */
import { spawnSync } from 'node:child_process'

const runs = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { timeout: 10_000 }).status === 0

/** Undefined when everything is here; else what is missing. */
export const missingForSandbox = (): string | undefined => {
  if (!runs('bwrap', ['--version'])) return 'bwrap'
  if (!runs('socat', ['-V'])) return 'socat'
  const spaces = ['--unshare-user', '--unshare-net', '--unshare-pid']
  const places = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
  return runs('bwrap', [...spaces, ...places, 'true']) ? undefined : 'namespaces'
}
