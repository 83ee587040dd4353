/** A tenth of the soak (C14, C35, law 13): a host under load is killed again and again. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { soakRound } from '../../bench/soak/round.ts'

test('law 13: thirty kills under load lose no event that a reader saw, and leave no open run and no process', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-soak-')))
  try {
    let seen = 0
    for (let round = 0; round < 30; round += 1) {
      const result = await soakRound(root, (round * 37) % 900)
      expect(result.faults).toEqual([])
      seen += result.seen
    }
    expect(seen).toBeGreaterThan(300)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}, 600_000)
