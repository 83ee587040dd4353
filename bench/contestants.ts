/** Who is compared: command lines that hand one prompt to the same mock agent. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface Contestant {
  readonly name: string
  readonly argv: (prompt: string) => readonly string[]
}

export type Name = 'subgate' | 'floor' | 'sdk' | 'acpx'

const HERE = import.meta.dirname
const NODE = process.execPath
const AGENT: readonly string[] = [NODE, join(HERE, 'mock-agent.mjs')]
const SUBGATE = join(HERE, '../bin/subgate.js')
const PEER = join(HERE, 'peer')
const ACPX = join(PEER, 'node_modules/acpx/dist/cli.js')

export const CONTESTANTS: { readonly [N in Name]: Contestant } = {
  subgate: {
    name: 'subgate',
    argv: (prompt) => [NODE, SUBGATE, 'run', '--output-format', 'text', prompt, '--', ...AGENT],
  },
  floor: { name: 'floor', argv: (prompt) => [NODE, join(HERE, 'floor.mjs'), prompt, ...AGENT] },
  sdk: { name: 'SDK client', argv: (prompt) => [NODE, join(HERE, 'sdk-client.mjs'), prompt, ...AGENT] },
  acpx: {
    name: 'acpx 0.19.1',
    argv: (prompt) => [NODE, ACPX, '--agent', AGENT.map((word) => `"${word}"`).join(' '), 'exec', prompt],
  },
}

/**
 * From its own lock file, once. `npm ci` refuses the lock, as optional binaries of other platforms can't
 * be had in this version; `install --no-save` takes the locked versions and leaves the lock as it is.
 */
export const installPeer = (): void => {
  if (existsSync(ACPX)) return
  console.log('Installing acpx from bench/peer/package-lock.json …')
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', PEER], { stdio: 'inherit' })
}
