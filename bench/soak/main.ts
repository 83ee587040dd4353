/**
 * `npm run soak [rounds] [folder]`: 300 rounds unless told otherwise; exits with 1 when one of them found a fault. With
 * a folder it goes on with the database that lies there, and leaves it.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { soakRound } from './round.ts'

const rounds = Number(process.argv[2] ?? 300)
const folder = process.argv[3]
if (folder !== undefined) mkdirSync(folder, { recursive: true })
const root = realpathSync(folder ?? mkdtempSync(join(tmpdir(), 'subgate-soak-')))
let [seen, sessions, faulty] = [0, 0, 0]
for (let round = 1; round <= rounds; round += 1) {
  const delayMs = Math.floor(Math.random() * 1500)
  const result = await soakRound(root, delayMs)
  seen += result.seen
  sessions += result.sessions
  if (result.faults.length > 0) faulty += 1
  for (const fault of result.faults) console.log(`round ${round}, killed after ${delayMs} ms: ${fault}`)
  if (round % 25 === 0)
    console.log(`${round} rounds, ${seen} events seen, ${sessions} sessions, ${faulty} rounds with faults`)
}
console.log(`${rounds} rounds, ${seen} events seen, ${sessions} sessions, ${faulty} rounds with faults`)
if (folder === undefined) rmSync(root, { recursive: true, force: true })
process.exit(faulty === 0 ? 0 : 1)
