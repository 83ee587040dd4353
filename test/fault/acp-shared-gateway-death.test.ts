/** A gateway that is killed leaves no warm process of an ACP agent (C14). */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, processTable } from '../../src/process/process-table.ts'
import { listRecords } from '../../src/process/records.ts'
import { firstLine, identityOf, stateDir, survivors } from '../fixtures/process/owned.ts'

const GATEWAY = join(import.meta.dirname, '../fixtures/acp/shared-gateway.ts')

test('C14d: with the gateway a warm process is killed, and it is on record as warm until then', async () => {
  const id = 'gw-shared-acp'
  const dir = stateDir()
  const gateway = spawn(process.execPath, [GATEWAY, id, dir], { stdio: ['pipe', 'pipe', 'inherit'] })
  const live = JSON.parse(await firstLine(gateway)) as { readonly pid: number; readonly idle?: boolean }[]
  expect(live.map(({ idle = false }) => idle)).toEqual([false, true])
  expect(
    listRecords(dir)
      .map(({ idle = false }) => idle)
      .toSorted(),
  ).toEqual([false, true])
  // It starts a moment after the first agent.
  const watched = (): boolean =>
    processTable().some(({ pid }) => environmentOf(pid)?.includes(`SUBGATE_WATCHDOG=${id}`) === true)
  await expect.poll(watched, { timeout: 10_000 }).toBe(true)
  const agents = live.map(({ pid }) => identityOf(pid))
  gateway.kill('SIGKILL')
  expect(await survivors(agents)).toEqual([])
})
