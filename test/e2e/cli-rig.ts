/** One user's machine for tests of the program: a home, a work folder, a PATH and a configuration of their own. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeLogEntry, FakeStep } from '../../src/testing/fake-agent.ts'
import { ensureBuilt, EXAMPLE_AGENT, PROGRAM } from './built.ts'

const DEADLINE_MS = 45_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly bytes: Buffer
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** `'open'`: a pipe that stays open. A text is written and ended. Absent: no input. */
  readonly stdin?: 'open' | { readonly text: string }
  /** A shell line in place of the program; `$SUBGATE` in it is the program. */
  readonly shell?: string
}

export class Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  readonly #out: Buffer[] = []
  readonly #err: Buffer[] = []
  #wake: (() => void)[] = []

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.on('data', (chunk: Buffer) => this.#hear(this.#out, chunk))
    child.stderr?.on('data', (chunk: Buffer) => this.#hear(this.#err, chunk))
    const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
    this.ended = once(child, 'close').then(([code, signal]: unknown[]) => {
      clearTimeout(deadline)
      for (const wake of this.#wake.splice(0)) wake()
      return {
        code: code as number | null,
        signal: signal as NodeJS.Signals | null,
        bytes: Buffer.concat(this.#out),
        stdout: this.stdout,
        stderr: this.stderr,
      }
    })
  }

  get stdout(): string {
    return Buffer.concat(this.#out).toString()
  }

  get stderr(): string {
    return Buffer.concat(this.#err).toString()
  }

  /** Resolves when this text has arrived on stdout or stderr; fails loudly when the program ends without it. */
  async heard(part: string): Promise<void> {
    while (!this.stdout.includes(part) && !this.stderr.includes(part)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`never heard ${part}: ${this.stdout}\n${this.stderr}`)
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  #hear(pieces: Buffer[], chunk: Buffer): void {
    pieces.push(chunk)
    for (const wake of this.#wake.splice(0)) wake()
  }
}

export class Rig implements AsyncDisposable {
  readonly root: string
  readonly work: string
  readonly state: string
  readonly #bin: string
  readonly #running = new Set<Running>()

  constructor() {
    ensureBuilt()
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-cli-')))
    this.work = join(this.root, 'home/work')
    this.state = join(this.root, 'state')
    this.#bin = join(this.root, 'bin')
    for (const path of [this.work, this.#bin, join(this.root, 'tmp')]) mkdirSync(path, { recursive: true })
  }

  get env(): Record<string, string> {
    const { root } = this
    return {
      PATH: [this.#bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      HOME: join(root, 'home'),
      XDG_STATE_HOME: this.state,
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_DATA_HOME: join(root, 'data'),
      XDG_CACHE_HOME: join(root, 'cache'),
      TMPDIR: join(root, 'tmp'),
      LANG: 'C.UTF-8',
      // Shared, as each start with a cold one costs a second.
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/subgate-test'),
    }
  }

  /** The user's configuration; a text is written as it is. */
  configure(config: object | string): void {
    this.write('../../config/subgate/config.json', config)
  }

  /** A file below the work folder. */
  write(path: string, content: object | string): string {
    const file = join(this.work, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }

  read(path: string): string {
    return readFileSync(join(this.work, path), 'utf8')
  }

  /** A program on PATH. */
  install(name: string, script: string): void {
    const file = join(this.#bin, name)
    writeFileSync(file, script)
    chmodSync(file, 0o755)
  }

  /** An installed program that is a fake agent. */
  installFake(name: string, script: readonly FakeStep[]): void {
    const { command, args } = fakeAgentCommand(script)
    const words = [command, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
    this.install(name, `#!/bin/sh\nexec ${words.join(' ')}\n`)
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    const { env, cwd = this.work, stdin, shell } = options
    const [command, words] =
      shell === undefined ? [process.execPath, [PROGRAM, ...args]] : ['/bin/sh', ['-c', shell, 'sh', ...args]]
    const child = spawn(command, words, {
      cwd,
      env: {
        ...this.env,
        ...(shell !== undefined && { SUBGATE: `${process.execPath} ${PROGRAM}` }),
        ...env,
      },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (typeof stdin === 'object') child.stdin?.end(stdin.text)
    const running = new Running(child)
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return running
  }

  run(args: readonly string[], options?: RunOptions): Promise<Ended> {
    return this.start(args, options).ended
  }

  /** Processes that run with this machine's state folder in their environment, watchdogs and all. */
  left(): readonly number[] {
    const mark = `XDG_STATE_HOME=${this.state}\0`
    return globSync('/proc/[0-9]*/environ').flatMap((file) => {
      try {
        return readFileSync(file, 'utf8').includes(mark) ? [Number(file.split('/')[2])] : []
      } catch {
        // Ended meanwhile, or another user's.
        return []
      }
    })
  }

  /** Every file of the state, configuration and data folders. */
  files(folder: string): readonly string[] {
    const path = join(this.root, folder)
    if (!existsSync(path)) return []
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running) child.kill('SIGKILL')
    await Promise.all([...this.#running].map(({ ended }) => ended))
    // Only what this machine started carries its folder.
    for (const pid of this.left()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Ended meanwhile.
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What stands behind `--` for a fake agent. */
export const fake = (script: readonly FakeStep[]): readonly string[] => {
  const { command, args } = fakeAgentCommand(script)
  return ['--', command, ...args]
}

export const EXAMPLE: readonly string[] = ['--', process.execPath, EXAMPLE_AGENT]

/** All of stdout as one JSON document; more or less than one is an error. */
export const documentOf = ({ stdout, stderr }: Ended): Document => {
  const lines = stdout.split('\n')
  if (lines.length !== 2 || lines[1] !== '') throw new Error(`not one line: ${stdout}\n${stderr}`)
  return JSON.parse(lines[0] ?? '') as Document
}

export interface Document {
  readonly type: 'result' | 'error'
  readonly provider?: string
  readonly depth?: number
  readonly status?: string
  readonly category?: string
  readonly text?: string
  readonly structured?: unknown
  readonly denied?: readonly { readonly title: string; readonly kind: string; readonly flag: string }[]
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly phase: string
    readonly data: Readonly<Record<string, unknown>>
  }
  readonly exitCode: number
}

/** What a fake wrote to its `log` file. */
export const logOf = (file: string): readonly FakeLogEntry[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as FakeLogEntry)
    : []

export const pidsOf = (file: string): readonly number[] =>
  logOf(file).flatMap((entry) =>
    'started' in entry ? [entry.started.pid] : 'grandchild' in entry ? [entry.grandchild] : [],
  )

/** A dead process that nobody has collected yet doesn't count. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s*[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Waits until it holds; fails loudly after fifteen seconds. */
export const until = async (holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + 15_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** An agent that is a shell: it runs the line once it is prompted, and says what the line printed. */
export const shellAgent = (rig: Rig, line: string): readonly string[] => {
  const file = rig.write(
    'shell-agent.mjs',
    `import { spawnSync } from 'node:child_process'
     import { createInterface } from 'node:readline'
     const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
     for await (const text of createInterface({ input: process.stdin })) {
       const { id, method, params } = JSON.parse(text)
       if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } })
       if (method === 'session/new') send({ id, result: { sessionId: 's' } })
       if (method !== 'session/prompt') continue
       const { stdout } = spawnSync('/bin/sh', ['-c', ${JSON.stringify(line)}], { stdio: ['ignore', 'pipe', 'inherit'] })
       const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: String(stdout) } }
       send({ method: 'session/update', params: { sessionId: params.sessionId, update } })
       send({ id, result: { stopReason: 'end_turn' } })
     }`,
  )
  return ['--', process.execPath, file]
}
