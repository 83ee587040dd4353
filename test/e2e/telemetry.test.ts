/** Traces of the built program as a collector sees them, and runs that don't care whether one is there. */
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import { PROGRAM } from './built.ts'
import { documentOf, EXAMPLE, fake, Rig } from './cli-rig.ts'
import { Collector } from './collector.ts'

const OUTSIDE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const rehearse = (rig: Rig, script: string, env: Readonly<Record<string, string>>) =>
  rig.run(['run', 'spawn', '--json', '--model', 'rehearsal', script], { env })

describe('a trace', () => {
  test('a run that delegates through the command line of another process is one trace', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    rig.write('notes.md', 'one two\n')
    const flags = [
      '--env',
      `SUBGATE_CLI=${JSON.stringify([process.execPath, PROGRAM])}`,
      '--env',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    ]
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, TRACEPARENT: OUTSIDE }
    const words = 'delegate count words in notes.md'
    const ended = await rig.run(['run', '--json', ...flags, words, ...EXAMPLE], { env })
    expect(documentOf(ended)).toMatchObject({ status: 'completed', text: 'notes.md has 2 words.' })
    const [root, child] = [collector.only('subgate.depth', 0), collector.only('subgate.depth', 1)]
    expect(root).toMatchObject({
      name: 'invoke_agent acp',
      parentSpanId: '00f067aa0ba902b7',
      service: 'subgate',
    })
    expect(child).toMatchObject({ name: 'invoke_agent acp', parentSpanId: root.spanId })
    expect(collector.only('gen_ai.tool.name', 'execute').parentSpanId).toBe(root.spanId)
    expect(collector.only('gen_ai.tool.name', 'read').parentSpanId).toBe(child.spanId)
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(
      new Set(['4bf92f3577b34da6a3ce929d0e0e4736']),
    )
    expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']))
  })

  test('children in this process stand below the tool calls that they come from', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    const script = 'delegate: say: hi\nalso delegate: call glob: {"pattern": "*"}'
    await rehearse(rig, script, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const named = (name: string) => collector.spans.filter((span) => span.name === name)
    const [root, ...children] = named('invoke_agent spawn').toSorted(
      (a, b) => Number(a.attributes['subgate.depth']) - Number(b.attributes['subgate.depth']),
    )
    const tools = named('execute_tool subagent')
    expect(children.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(
      tools.map(({ spanId }) => spanId).toSorted(),
    )
    expect(tools.map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId, root?.spanId])
    expect(root?.attributes).toMatchObject({ 'gen_ai.request.model': 'rehearsal' })
    expect(children.map(({ spanId }) => spanId)).toContain(
      collector.only('gen_ai.tool.name', 'glob').parentSpanId,
    )
  })

  test('a refused run leaves no span', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
    const ended = await rig.run(['run', '--json', '--sandbox', 'read-only', 'x', ...EXAMPLE], { env })
    expect(documentOf(ended)).toMatchObject({ error: { code: 'UNSUPPORTED_CAPABILITY' } })
    expect(collector.bodies).toEqual([])
  })
})

describe('content', () => {
  const SCRIPT = 'call glob: {"pattern": "planted-argument"}\nsay: planted-answer'

  test('leaves the process only when it is asked for', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
    await rehearse(rig, SCRIPT, env)
    expect(collector.spans).toHaveLength(2)
    expect(collector.bodies.join('\n')).not.toContain('planted')
    await rehearse(rig, SCRIPT, { ...env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' })
    const [tool, run] = collector.spans.slice(2)
    expect(tool?.attributes['gen_ai.tool.call.arguments']).toBe('{"pattern":"planted-argument"}')
    expect(run?.attributes['gen_ai.input.messages']).toContain('planted-answer')
    expect(run?.attributes['gen_ai.output.messages']).toContain('planted-answer')
  })

  test("the collector's secrets reach it, and no agent, log or span", async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=planted-secret',
    }
    const script = [...acpHandshake(), ...acpTurn([{ dump: ['env'] }])]
    const ended = await rig.run(['run', '--json', '--verbose', 'x', ...fake(script)], { env })
    const seen = JSON.parse(documentOf(ended).text ?? '') as { readonly env: Record<string, string> }
    expect(collector.headers[0]).toMatchObject({ authorization: 'planted-secret' })
    expect(`${ended.stdout}${ended.stderr}${collector.bodies.join('')}`).not.toContain('planted-secret')
    expect(Object.keys(seen.env).filter((name) => name.startsWith('OTEL_'))).toEqual([])
    expect(seen.env['TRACEPARENT']).toBe(
      `00-${collector.spans[0]?.traceId}-${collector.only('subgate.depth', 0).spanId}-01`,
    )
  })
})

describe('a collector that is not there', () => {
  /** A port at which nobody listens. */
  const nowhere = async (): Promise<string> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return `http://127.0.0.1:${port}`
  }

  const told = (stderr: string): readonly string[] =>
    stderr.split('\n').filter((line) => line.includes('spans could not be sent'))

  test('changes neither the exit nor the output, and is told in one line of the log', async () => {
    await using rig = new Rig()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await nowhere() }
    const words = ['run', 'spawn', '--model', 'rehearsal', 'say: hi']
    const plain = await rig.run(words)
    const without = await rig.run(words, { env })
    expect(without).toMatchObject({ code: 0, stdout: plain.stdout, stderr: plain.stderr })
    const verbose = await rig.run([...words, '--verbose'], { env })
    expect(verbose).toMatchObject({ code: 0, stdout: plain.stdout })
    expect(told(verbose.stderr)).toHaveLength(1)
    expect(JSON.parse(told(verbose.stderr)[0] ?? '')).toMatchObject({ level: 40, reason: 'ECONNREFUSED' })
  })

  test('holds the end up for no more than its bound, also when it takes everything and answers nothing', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen({ answers: false })
    const before = performance.now()
    const ended = await rehearse(rig, 'say: hi', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    expect(documentOf(ended)).toMatchObject({ status: 'completed', text: 'hi' })
    expect(collector.spans).toHaveLength(1)
    expect(performance.now() - before).toBeLessThan(10_000)
  })

  test.each(['nonsense', 'http://['])(
    'the endpoint %j is no address, and the run goes on',
    async (endpoint) => {
      await using rig = new Rig()
      const ended = await rehearse(rig, 'say: hi', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      expect(documentOf(ended)).toMatchObject({ status: 'completed', text: 'hi', exitCode: 0 })
      expect(ended.stderr).toBe('')
    },
  )
})

describe('what is loaded', () => {
  /** The program's own files that a run loads. */
  const loadedBy = async (rig: Rig, env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const file = rig.write('loaded.txt', '')
    const hook = rig.write(
      'hook.mjs',
      `import { appendFileSync } from 'node:fs'
       import vm from 'node:vm'
       const { Script } = vm
       vm.Script = class extends Script {
         constructor(source, options) {
           appendFileSync(${JSON.stringify(file)}, options.filename + '\\n')
           super(source, options)
         }
       }`,
    )
    const ended = await rehearse(rig, 'say: hi', { ...env, NODE_OPTIONS: `--import=${hook}` })
    expect(documentOf(ended)).toMatchObject({ text: 'hi' })
    return rig
      .read('loaded.txt')
      .split('\n')
      .filter((path) => path.includes('/dist/bin/'))
      .map((path) => basename(path))
  }

  /** The files of the bundle that hold any of OpenTelemetry. */
  const chunks = (): readonly string[] =>
    globSync(join(import.meta.dirname, '../../dist/bin/*.js'))
      .filter((file) => readFileSync(file, 'utf8').includes('opentelemetry'))
      .map((file) => basename(file))

  test('nothing of OpenTelemetry without the variable, and its chunk with it', async () => {
    await using rig = new Rig()
    await using collector = await Collector.listen()
    const held = chunks()
    expect(held).not.toEqual([])
    const without = await loadedBy(rig, {})
    expect(without).toContain('main.js')
    expect(without.filter((name) => held.includes(name))).toEqual([])
    const having = await loadedBy(rig, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    expect(having).toEqual(expect.arrayContaining([...held]))
  })
})
