/** Every test file runs with a home, state and configuration of its own, so that no run sees the user's. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'subgate-test-'))
process.env['SUBGATE_TEST_HOME'] = home
process.env['XDG_STATE_HOME'] = join(home, 'state')
process.env['XDG_CONFIG_HOME'] = join(home, 'config')
process.env['XDG_DATA_HOME'] = join(home, 'data')
process.env['XDG_CACHE_HOME'] = join(home, 'cache')
delete process.env['SUBGATE_LINEAGE']

afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})
