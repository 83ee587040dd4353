/** The process that is killed while it writes to a store: it tells of each event once that is committed. */
import { writeSync } from 'node:fs'
import { runId } from '../../src/contract/ids.ts'
import { EMPTY_REGISTERS } from '../../src/sessions/registers.ts'
import { SessionLog } from '../../src/sessions/session-log.ts'
import { openStore } from '../../src/sessions/sqlite/open.ts'
import { header, say, settled, started } from '../fixtures/entries.ts'

const [file = '', name = ''] = process.argv.slice(2)

const store = openStore({
  file,
  owner: { id: name, pid: process.pid, startTime: 1, bootId: 'b/1' },
  isAlive: () => false,
})

const lane = async (index: number): Promise<void> => {
  const log = SessionLog.create(store, header(`ses_${name}_${index}`), EMPTY_REGISTERS, Date.now)
  for (let turn = 0; ; turn += 1) {
    const run = runId(`run_${name}_${index}_${turn}`)
    log.append(started, run)
    for (let step = 0; step < 40; step += 1) {
      log.append({ type: 'session/update', update: say('x'.repeat(step * 50)) }, run)
      if (step % 10 !== 9) continue
      await log.flushed()
      writeSync(1, `${log.id} ${log.lastSeq}\n`)
    }
    log.append(settled, run, { together: { post: [{ to: log.id, at: turn, kind: 'report', text: run }] } })
    await log.flushed()
    writeSync(1, `${log.id} ${log.lastSeq} ${turn + 1}\n`)
  }
}

await Promise.all([0, 1, 2].map(lane))
