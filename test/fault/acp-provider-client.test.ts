/** What an agent may ask of its client: files and terminals, only where configured, within the session's roots. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, pids, received, temporary } from '../fixtures/acp-house.ts'
import type { AcpHouse } from '../fixtures/acp-house.ts'
import { rejection } from '../fixtures/house.ts'

/** `W` with links out of it, a neighbour with its name as a prefix, and a FIFO. */
const world = (): { readonly dir: string; readonly w: string } => {
  const dir = temporary()
  const w = join(dir, 'W')
  for (const name of ['W', 'W-evil', 'outside', 'W/sub']) mkdirSync(join(dir, name))
  writeFileSync(join(dir, 'outside', 'secret'), 'secret')
  writeFileSync(join(w, 'read.txt'), 'one\ntwo\nthree\n')
  symlinkSync(join(dir, 'outside'), join(w, 'out'))
  symlinkSync(join(dir, 'none'), join(w, 'dang'))
  symlinkSync(join(dir, 'outside', 'secret'), join(w, 'link'))
  execFileSync('mkfifo', [join(w, 'fifo')])
  return { dir, w }
}

const asks = (
  method: string,
  paramsOf: (path: string) => object,
  paths: readonly string[],
): readonly FakeStep[] =>
  paths.map((path) => ({ request: method, params: { sessionId: 's1', path, ...paramsOf(path) }, id: path }))

const answers = (
  house: AcpHouse,
): Map<unknown, { result?: unknown; error?: { code: number; message: string } }> =>
  new Map(house.log().flatMap((entry) => ('answer' in entry ? [[entry.to, entry.answer as object]] : [])))

const BAD = (w: string): readonly string[] => [
  `${w}/../x`,
  `${w}-evil/x`,
  `${w}/out/x`,
  `${w}/dang`,
  `${w}/link`,
  `${w}/sub/../../x`,
  `${w}/sub/../ok2.txt`,
  'x',
  '',
  `${w}/a\0b`,
  `${w}/fifo`,
  `${w}/sub`,
  `${w}/missing/x`,
  '/etc/hostname',
]

describe('C37: the files of a session', () => {
  test('are written within its roots only, and nothing appears outside', async () => {
    const { dir, w } = world()
    const good = [`${w}/ok.txt`, `${w}/read.txt`]
    const house = acp(
      [
        ...acpHandshake(),
        ...acpTurn([...asks('fs/write_text_file', () => ({ content: 'new' }), [...good, ...BAD(w)]), 'done']),
      ],
      { methods: { write: true, read: true } },
    )
    expect((await (await house.start({ cwd: w })).result).text).toBe('done')
    const said = answers(house)
    for (const path of good) {
      expect(said.get(path)).toMatchObject({ result: {} })
      expect(readFileSync(path, 'utf8')).toBe('new')
    }
    for (const path of BAD(w)) expect([path, said.get(path)?.error?.code]).toEqual([path, -32602])
    expect(readdirSync(dir).toSorted()).toEqual(['W', 'W-evil', 'outside'])
    expect(readdirSync(join(dir, 'outside'))).toEqual(['secret'])
    expect(readFileSync(join(dir, 'outside', 'secret'), 'utf8')).toBe('secret')
    expect(readdirSync(join(dir, 'W-evil'))).toEqual([])
    expect(readdirSync(w).toSorted()).toEqual(['dang', 'fifo', 'link', 'ok.txt', 'out', 'read.txt', 'sub'])
  })

  test('are read by the same rule, whole or by lines', async () => {
    const { w } = world()
    const read = (id: string, more: object = {}): FakeStep => ({
      request: 'fs/read_text_file',
      params: { sessionId: 's1', path: `${w}/read.txt`, ...more },
      id,
    })
    const house = acp(
      [
        ...acpHandshake(),
        ...acpTurn([
          read('all'),
          read('second', { line: 2, limit: 1 }),
          read('rest', { line: 2 }),
          read('odd', { line: -1 }),
          ...asks('fs/read_text_file', () => ({}), BAD(w)),
          'done',
        ]),
      ],
      { methods: { read: true } },
    )
    expect((await (await house.start({ cwd: w })).result).text).toBe('done')
    const said = answers(house)
    expect(said.get('all')).toMatchObject({ result: { content: 'one\ntwo\nthree\n' } })
    expect(said.get('second')).toMatchObject({ result: { content: 'two' } })
    expect(said.get('rest')).toMatchObject({ result: { content: 'two\nthree\n' } })
    expect(said.get('odd')?.error?.code).toBe(-32602)
    for (const path of BAD(w)) expect([path, said.get(path)?.error?.code]).toEqual([path, -32602])
  })

  test('are advertised and served only as far as they were configured', async () => {
    const { w } = world()
    const house = acp(
      [
        ...acpHandshake(),
        ...acpTurn([...asks('fs/write_text_file', () => ({ content: 'x' }), [`${w}/ok.txt`]), 'done']),
      ],
      { methods: { read: true } },
    )
    await (
      await house.start({ cwd: w })
    ).result
    expect(received(house, 'initialize')[0]?.params['clientCapabilities']).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    })
    expect(answers(house).get(`${w}/ok.txt`)?.error?.code).toBe(-32601)
    expect(existsSync(`${w}/ok.txt`)).toBe(false)
  })
})

describe('C37: the directory of a session', () => {
  test.each(['a b', 'ünï-漢'])('%s reaches the agent byte for byte', async (name) => {
    const dir = temporary()
    const cwd = join(dir, name)
    mkdirSync(cwd)
    const house = acp([...acpHandshake(), ...acpTurn([{ dump: ['cwd'] }])], { dir })
    const { text } = await (await house.start({ cwd })).result
    expect(JSON.parse(text)).toEqual({ cwd })
    expect(received(house, 'session/new')[0]?.params['cwd']).toBe(cwd)
  })

  test.each(['./rel', '/no/such/dir', '', '/etc/hostname'])(
    '%j is refused by name, and nothing is started',
    async (cwd) => {
      const house = acp(acpHandshake())
      const error = await rejection(house.start({ cwd }))
      expect([error.code, error.data]).toEqual(['INVALID_REQUEST', { field: 'cwd' }])
      expect(pids(house.log())).toEqual([])
    },
  )
})

const call = (method: string, id: string, params: object): FakeStep => ({
  request: `terminal/${method}`,
  params: { sessionId: 's1', ...params },
  id,
})

describe('terminals, where they were configured,', () => {
  const one = { terminalId: 'term_1' }

  test('run a command with both outputs joined, and tell how it ended', async () => {
    const house = acp(
      [
        ...acpHandshake(),
        ...acpTurn([
          call('create', 'new', {
            command: 'sh',
            args: ['-c', 'echo out; echo err >&2; echo "$WORD"; exit 3'],
            env: [{ name: 'WORD', value: 'given' }],
          }),
          call('wait_for_exit', 'exit', one),
          call('output', 'output', one),
          call('release', 'release', one),
          call('output', 'gone', one),
          'done',
        ]),
      ],
      { methods: { terminal: true } },
    )
    expect((await (await house.start()).result).text).toBe('done')
    const said = answers(house)
    expect(said.get('new')).toMatchObject({ result: one })
    expect(said.get('exit')).toMatchObject({ result: { exitCode: 3, signal: null } })
    expect(said.get('output')).toMatchObject({
      result: { output: 'out\nerr\ngiven\n', truncated: false, exitStatus: { exitCode: 3, signal: null } },
    })
    expect(said.get('gone')?.error?.code).toBe(-32602)
  })

  test('keep the end of a long output, and start nowhere outside of the roots', async () => {
    const house = acp(
      [
        ...acpHandshake(),
        ...acpTurn([
          call('create', 'outside', { command: 'true', cwd: '/' }),
          call('create', 'relative', { command: 'true', cwd: '.' }),
          call('create', 'new', { command: 'sh', args: ['-c', 'printf "0123456789ü"'], outputByteLimit: 4 }),
          call('wait_for_exit', 'exit', one),
          { sleep: 50 },
          call('output', 'output', one),
          'done',
        ]),
      ],
      { methods: { terminal: true } },
    )
    await (
      await house.start()
    ).result
    const said = answers(house)
    expect([said.get('outside')?.error?.code, said.get('relative')?.error?.code]).toEqual([-32602, -32602])
    expect(said.get('output')).toMatchObject({ result: { output: '89ü', truncated: true } })
  })

  test('that still run end with the session', async () => {
    const house = acp(
      [...acpHandshake(), ...acpTurn([call('create', 'new', { command: 'sleep', args: ['60'] }), 'done'])],
      { methods: { terminal: true } },
    )
    const run = await house.start({ keep: true })
    await run.result
    expect(house.supervisor.live()).toHaveLength(2)
    await house.runtime.close(run.sessionId)
    expect(house.supervisor.live()).toEqual([])
  })
})
