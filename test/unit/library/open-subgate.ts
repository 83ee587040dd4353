/** A library instance that sees neither the user's home nor installed agents. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createSubgate } from '../../../src/index.ts'
import type { Subgate, SubgateOptions } from '../../../src/index.ts'

export const openSubgate = (options: SubgateOptions = {}): Promise<Subgate> => {
  const home = join(String(process.env['SUBGATE_TEST_HOME']), `library-${crypto.randomUUID()}`)
  const cwd = join(home, 'project')
  mkdirSync(cwd, { recursive: true })
  return createSubgate({ cwd, home, env: { PATH: '/nonexistent' }, ...options })
}
