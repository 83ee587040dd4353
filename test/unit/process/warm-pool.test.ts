/** A pool of agent processes: shared by key, kept for a while, never handed out dead. */
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import type { ProcessOwner } from '../../../src/contract/process-record.ts'
import { WarmPool } from '../../../src/process/warm-pool.ts'
import type { Hosting, PoolOptions } from '../../../src/process/warm-pool.ts'
import { until } from '../../fixtures/house.ts'

class Host implements Hosting {
  readonly #lost = Promise.withResolvers<void>()
  alive = true
  clean = true

  get lost(): Promise<void> {
    return this.#lost.promise
  }

  async stop(): Promise<readonly number[]> {
    this.die()
    return [7]
  }

  die(): void {
    this.alive = false
    this.#lost.resolve()
  }
}

const owner = (name: string): ProcessOwner => ({
  sessionId: sessionId(name),
  rootSessionId: sessionId('root'),
  depth: 1,
})

const house = (options: Partial<PoolOptions<Host>> = {}) => {
  const hosts: Host[] = []
  const owned: (readonly string[])[] = []
  const pool = new WarmPool<Host>({
    warm: true,
    host: (_, owners) => void owned.push(owners.map((each) => each.sessionId)),
    isClean: (host) => host.clean,
    ...options,
  })
  const start = async (): Promise<Host> => {
    const host = new Host()
    hosts.push(host)
    return host
  }
  return { hosts, owned, pool, lease: (key: string, name: string) => pool.lease(key, owner(name), start) }
}

test('one key is one process, another key another', async () => {
  const { hosts, owned, lease } = house()
  const [a, b, c] = await Promise.all([lease('k', 'a'), lease('k', 'b'), lease('l', 'c')])
  expect(hosts).toHaveLength(2)
  expect([a.host === b.host, a.host === c.host]).toEqual([true, false])
  expect([a.reused, b.reused, c.reused]).toEqual([false, true, false])
  expect(owned).toContainEqual(['a', 'b'])
})

test('the last one to leave gives nothing up, and the next one finds the process', async () => {
  const { hosts, owned, lease } = house()
  const first = await lease('k', 'a')
  expect(await first.release()).toEqual([])
  expect(await first.release()).toEqual([])
  expect(owned.at(-1)).toEqual([])
  expect((await lease('k', 'b')).reused).toBe(true)
  expect(hosts[0]?.alive).toBe(true)
})

test('without warmth the last one to leave ends the process, and is told what escaped', async () => {
  const { hosts, lease } = house({ warm: false })
  const [a, b] = await Promise.all([lease('k', 'a'), lease('k', 'b')])
  expect(await a.release()).toEqual([])
  expect(hosts[0]?.alive).toBe(true)
  expect(await b.release()).toEqual([7])
  expect(hosts[0]?.alive).toBe(false)
})

test('with no idle time sessions share a process, and the last one to leave ends it', async () => {
  const { hosts, lease } = house({ idleMs: 0 })
  const [a, b] = await Promise.all([lease('k', 'a'), lease('k', 'b')])
  expect(hosts).toHaveLength(1)
  expect(await a.release()).toEqual([])
  expect(await b.release()).toEqual([7])
})

test('whose work goes first is named first', async () => {
  const { owned, lease } = house()
  await lease('k', 'a')
  const b = await lease('k', 'b')
  b.foremost()
  expect(owned.at(-1)).toEqual(['b', 'a'])
})

test('one that died, was retired or was left unclean is never handed out', async () => {
  const { hosts, lease } = house({ quietMs: 1, idleMs: 60_000 })
  const dead = await lease('k', 'a')
  hosts[0]?.die()
  await dead.release()
  const retired = await lease('k', 'b')
  retired.retire()
  const third = await lease('k', 'c')
  expect(await retired.release()).toEqual([7])
  third.host.clean = false
  await third.release()
  await until(() => hosts[2]?.alive === false)
  expect((await lease('k', 'd')).reused).toBe(false)
  expect(hosts).toHaveLength(4)
})

test('one that nobody wants is ended after its idle time', async () => {
  const { hosts, lease } = house({ quietMs: 1, idleMs: 20 })
  await (await lease('k', 'a')).release()
  await until(() => hosts[0]?.alive === false)
})

test("a start that failed is its own starter's trouble, and not that of who waited for it", async () => {
  const { hosts, pool, lease } = house()
  const failing = pool.lease('k', owner('a'), () => Promise.reject(new Error('No.')))
  const waiting = lease('k', 'b')
  await expect(failing).rejects.toThrow('No.')
  expect((await waiting).reused).toBe(false)
  expect(hosts).toHaveLength(1)
})

test('its end is the end of what it keeps', async () => {
  const { hosts, pool, lease } = house()
  await (await lease('k', 'a')).release()
  await pool[Symbol.asyncDispose]()
  expect(hosts[0]?.alive).toBe(false)
})
