/** Writers that are killed at random moments: the database opens, and what was said to be committed is there (law 13). */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { SessionId } from '../../src/contract/ids.ts'
import type { Store } from '../../src/sessions/store.ts'
import { storeHouse } from '../fixtures/store-file.ts'

const ROUNDS = Number(process.env['SUBGATE_KILLS'] ?? 20)

/** The whole lines that it wrote until it was killed, a random while after the first. */
const killed = async (file: string, name: string): Promise<readonly string[]> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'store-victim.ts'), file, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 150)
    text += chunk
  })
  await ended
  return text.split('\n').slice(0, -1)
}

const check = (store: Store, lines: readonly string[]): void => {
  const letters = new Map<string, number>()
  const last = new Map<string, number>()
  for (const line of lines) {
    const [id = '', seq, turns] = line.split(' ')
    last.set(id, Number(seq))
    if (turns !== undefined) letters.set(id, Number(turns))
  }
  for (const [id, seq] of last) {
    const entries = store.read(id as SessionId, 0, 1_000_000)
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1))
    expect(entries.length).toBeGreaterThanOrEqual(seq)
    const stored = store.get(id as SessionId)
    expect(stored?.lastSeq).toBe(entries.length)
    // Settle and letter are one transaction.
    const ends = entries.filter(({ event }) => event.type === 'run/settled').length
    expect(store.letters(id as SessionId)).toHaveLength(ends)
    expect(ends).toBeGreaterThanOrEqual(letters.get(id) ?? 0)
    expect(stored?.registers.openRun !== undefined).toBe(store.lost().includes(id as SessionId))
  }
}

test(
  `C35: ${ROUNDS} writers killed at random moments lose nothing that they had said was committed`,
  async () => {
    using house = storeHouse()
    let said = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      house.dead.add(`v${round}`)
      const lines = await killed(house.file, `v${round}`)
      expect(lines.length).toBeGreaterThan(0)
      said += lines.length
      using store = house.open(`me${round}`)
      check(store, lines)
      for (const id of store.lost()) expect(await store.takeOver(id)).toBe(true)
      expect(store.lost()).toEqual([])
    }
    using db = new DatabaseSync(house.file)
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(house.warnings).toEqual([])
    expect(said).toBeGreaterThan(ROUNDS)
  },
  ROUNDS * 10_000,
)
