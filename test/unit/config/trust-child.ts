/** Trusts its arguments' files one after the other, or takes the store's lock and keeps it. */
import { DatabaseSync } from 'node:sqlite'
import { openTrustStore } from '../../../src/config/trust.ts'

const [mode, dir = '', ...files] = process.argv.slice(2)
if (mode === 'trust') {
  const store = openTrustStore(dir)
  for (const file of files) store.trust(file, '{}')
} else {
  const lock = new DatabaseSync(`${dir}/trust.json.lock`)
  lock.exec('BEGIN EXCLUSIVE')
  process.stdout.write('held\n')
  setInterval(() => lock.isOpen, 1_000)
}
