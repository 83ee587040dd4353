/** The checker of ACP agents, tried on an agent that does one thing wrong: only the requirement that says so notices. */
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { checkAcpAgent } from '../../../src/conformance/acp-agent/check-agent.ts'
import type { CheckOptions } from '../../../src/conformance/acp-agent/options.ts'
import type { AcpReport } from '../../../src/conformance/acp-agent/report.ts'
import { ACP_REQUIREMENTS } from '../../../src/conformance/acp-agent/requirements.ts'
import type { Defect } from '../../fixtures/acp-agent/defect.ts'
import { DEFECTS } from '../../fixtures/acp-agent/defects.ts'
import { memoryStore, startFixture } from '../../fixtures/acp-agent/link.ts'

const PLANTED = { name: 'PLANTED_KEY', value: 'planted-7f1c02d9' }

const check = (defect?: Defect, more: Partial<CheckOptions> = {}): Promise<AcpReport> =>
  checkAcpAgent({
    start: startFixture(defect, memoryStore(), { [PLANTED.name]: PLANTED.value }),
    cwd: tmpdir(),
    timeoutMs: 3000,
    startupMs: 3000,
    quietMs: 60,
    closeGraceMs: 100,
    jobs: 20,
    texts: { cancel: 'hang', delegate: 'delegate', delegateLong: 'delegate long' },
    authMethod: 'key',
    allowLogout: true,
    planted: PLANTED,
    ...more,
  })

const withStatus = ({ requirements }: AcpReport, wanted: string): readonly string[] =>
  requirements.filter(({ status }) => status === wanted).map(({ id }) => id)

const GATEWAY = ACP_REQUIREMENTS.filter(({ gate }) => gate === 'behind').map(({ id }) => id)

test('an agent without a defect passes every requirement', async () => {
  const report = await check()
  expect(report.requirements.filter(({ status }) => status === 'failed' || status === 'not_tested')).toEqual(
    [],
  )
  expect(withStatus(report, 'not_advertised')).toEqual(GATEWAY)
  expect(report.verdict).toBe('conformant')
  expect(report.agent).toEqual({ name: 'fixture-agent', version: '1.2.3' })
})

test('an agent that speaks a newer version to who asks for one is held to the schema of version 1 where it speaks that', async () => {
  const authMethods = [{ type: 'agent', methodId: 'key', name: 'Key' }]
  const result = { protocolVersion: 2, info: { name: 'two', version: '2' }, capabilities: {}, authMethods }
  const report = await check({
    id: 'speaks-two-versions',
    fails: [],
    take: ({ method, params, id }, port) => {
      const isNewer = (params as { readonly protocolVersion?: number })?.protocolVersion === 65_535
      if (method !== 'initialize' || !isNewer) return false
      port.send({ jsonrpc: '2.0', id, result })
      return true
    },
  })
  expect(withStatus(report, 'failed')).toEqual([])
  expect(report.verdict).toBe('conformant')
})

describe('an agent that', () => {
  test.concurrent.for(DEFECTS.map((defect) => [defect.id, defect] as const))(
    '%s is caught, and all else of it passes',
    async ([, defect]) => {
      const report = await check(defect)
      const { fails, untested = [] } = defect
      expect({
        failed: withStatus(report, 'failed').toSorted(),
        untested: withStatus(report, 'not_tested').toSorted(),
      }).toEqual({ failed: [...fails].toSorted(), untested: [...untested].toSorted() })
    },
  )
})

describe('where checks use one process after another', () => {
  test('an agent without a defect passes every requirement, with fewer processes', async () => {
    let started = 0
    const start = startFixture(undefined, memoryStore(), { [PLANTED.name]: PLANTED.value })
    const counted = (): ReturnType<typeof start> => {
      started += 1
      return start()
    }
    await check(undefined, { start: counted, jobs: 1 })
    const fresh = started
    started = 0
    const report = await check(undefined, { start: counted, jobs: 1, reuse: true })
    expect(report.verdict).toBe('conformant')
    expect(started).toBeLessThan(fresh / 2)
  })

  test.concurrent.for(DEFECTS.map((defect) => [defect.id, defect] as const))(
    '%s is caught by the same requirements',
    async ([, defect]) => {
      const report = await check(defect, { reuse: true })
      expect(withStatus(report, 'failed').toSorted()).toEqual([...defect.fails].toSorted())
    },
  )
})

describe('the table of defects', () => {
  test('has at least one for every requirement that can fail, and one id each', () => {
    const caught = new Set(DEFECTS.flatMap(({ fails }) => fails))
    const owed = ACP_REQUIREMENTS.filter(({ level, gate }) => level !== 'INFORMATIONAL' && gate !== 'behind')
    expect(owed.filter(({ id }) => !caught.has(id)).map(({ id }) => id)).toEqual([])
    expect(new Set(DEFECTS.map(({ id }) => id)).size).toBe(DEFECTS.length)
  })
})
