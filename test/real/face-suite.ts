/** What Subgate promises of an agent that it drives by its own interface, by the program and by the library alike. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RealAgent } from './agents.ts'
import { FACES, faceOf } from './faces.ts'
import type { Controls, Ending, Face, FaceName, Playing } from './faces.ts'
import type { ModelRequest, Step } from './model/script.ts'
import { Rig } from './rig.ts'

/** What the service does; what that is to the caller, whether it may pass, and the words that say what to do. */
export type Fault = readonly [name: string, step: Step, code: string, retryable: boolean, words: string]

export interface Traits {
  /** Called whether it is offered or not. */
  readonly shell: (command: string) => Step
  /** With these its shell runs unasked and unconfined. */
  readonly free: Controls
  /** With these it writes in its working directory. */
  readonly writes: Controls
  /** How it is seen in the table of processes. */
  readonly program: string
  /** Holds a turn of an agent that may only read open. */
  readonly waits: Step
  readonly faults: readonly Fault[]
  /** The service refuses until `at`, in seconds; it is said to within so many milliseconds. */
  readonly usedUp: (at: number) => Step
  readonly exactMs: number
  readonly schema: {
    readonly steps: readonly Step[]
    readonly seen: (asked: ModelRequest, schema: object) => void
  }
  /** A word of its own instructions. */
  readonly persona: string
  /** What of a list with `Read` alone the model is offered; undefined where a list is refused. */
  readonly listed?: readonly string[]
}

const GO = 'Go.'
const CHILD = 'Write it.'
const HANGS = 'tail -f /dev/null'
const say = (text: string): Step => ({ do: 'say', text })
const tellUsers: Step = {
  do: 'tell',
  tell: ({ entries }) => entries.map((entry) => ('text' in entry ? entry.text : '')).join('|'),
}
const isCall = ({ sessionUpdate }: { readonly sessionUpdate?: string }): boolean =>
  sessionUpdate === 'tool_call'

const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
}
const SOON = Math.floor(Date.now() / 1000) + 3600

/** A model that answers `GO` so, and the face in front of it; afterwards nothing is left. */
type Scene = (steps: readonly Step[], play: (face: Face, rig: Rig) => Promise<void>) => Promise<void>

const start = (face: Face, controls?: Controls): Promise<Ending> => face.start(GO, controls).ending

const presetIn = (rig: Rig, front: string, text: string): string => {
  const file = join(rig.workspace.root, 'pirate.md')
  writeFileSync(file, `---\nname: pirate\ndescription: A pirate.\n${front}---\n${text}`)
  return file
}

export const describeFaces = (agent: RealAgent, traits: Traits): void => {
  describe.each(FACES)(`${agent.name} by %s`, (name: FaceName) => {
    const scene: Scene = async (steps, play) => {
      await using rig = await Rig.of(agent)
      rig.model.when(GO, ...steps)
      await using face = faceOf(name, rig)
      await play(face, rig)
      await face.restart()
      expect(rig.workspace.live()).toEqual([])
      expect(rig.model.refused).toEqual([])
    }
    turns(scene, traits)
    compositions(scene, traits)
    services(scene, traits)
    ends(scene, traits)
  })
}

const turns = (scene: Scene, { shell, writes, waits }: Traits): void => {
  test('a plain turn completes with its text', async () => {
    await scene([say('Done.')], async (face) => {
      expect(await start(face)).toMatchObject({ status: 'completed', text: 'Done.', denied: [] })
    })
  })

  test('a tool runs and is shown', async () => {
    await scene([shell('echo x > inside.txt'), say('Written.')], async (face, rig) => {
      const playing = face.start(GO, writes)
      await playing.update(isCall)
      expect(await playing.ending).toMatchObject({ status: 'completed', text: 'Written.', denied: [] })
      expect(existsSync(join(rig.workspace.work, 'inside.txt'))).toBe(true)
    })
  })

  test.each([
    ['allow', true],
    ['deny', false],
    // Nobody is there to be asked.
    ['ask', false],
  ] as const)('under the policy %s a command runs: %s', async (permission, runs) => {
    await scene([shell('echo x > asked.txt'), say('Done.')], async (face, rig) => {
      const { status, text, denied } = await start(face, { permission })
      expect({ status, text }).toEqual({ status: 'completed', text: 'Done.' })
      expect(denied?.map(({ kind }) => kind)).toEqual(runs ? [] : ['execute'])
      expect(existsSync(join(rig.workspace.work, 'asked.txt'))).toBe(runs)
    })
  })

  test('a child of a parent that may only read writes nothing', async () => {
    await scene([waits], async (face, rig) => {
      rig.model.when(CHILD, shell('echo x > child.txt'), say('I could not.'))
      const parent = face.start(GO, { sandbox: 'read-only' })
      const child = await face.below(parent, CHILD)
      expect(await child.ending).toMatchObject({ status: 'completed', text: 'I could not.' })
      expect(existsSync(join(rig.workspace.work, 'child.txt'))).toBe(false)
      parent.cancel()
      expect(await parent.ending).toMatchObject({ status: 'cancelled' })
    })
  })
}

const compositions = (scene: Scene, { schema, persona, listed }: Traits): void => {
  test('a session goes on after a restart, and a copy of it goes on apart', async () => {
    await scene([tellUsers], async (face, rig) => {
      rig.model.when('Keep marmalade in mind.', say('I will.'))
      const { sessionId = '' } = await face.start('Keep marmalade in mind.').ending
      const session = (from: 'resume' | 'fork') => ({ session: { from, sessionId: sessionId as never } })
      await face.restart()
      const again = await start(face, session('resume'))
      expect(again).toMatchObject({ status: 'completed', sessionId })
      expect(again.text).toContain('marmalade')
      await face.restart()
      const copy = await start(face, session('fork'))
      expect(copy.status).toBe('completed')
      expect(copy.sessionId).not.toBe(sessionId)
      expect(copy.text).toContain('marmalade')
    })
  })

  test('a schema stands in the request, and the value in the result', async () => {
    await scene(schema.steps, async (face, rig) => {
      expect(await start(face, { outputSchema: SCHEMA })).toMatchObject({ structured: { colour: 'green' } })
      const [request] = rig.model.turns(GO)
      expect(request).toBeDefined()
      if (request !== undefined) schema.seen(request.asked, SCHEMA)
    })
  })

  test.each([
    ['append', '', true],
    ['replace', 'instructions: replace\n', false],
  ])('instructions of a preset: %s', async (_, mode, keepsItsOwn) => {
    await scene([say('Arr.')], async (face, rig) => {
      const preset = presetIn(rig, mode, 'Speak like a pirate.\n')
      expect(await start(face, { preset })).toMatchObject({ status: 'completed' })
      await start(face)
      const [asked, plain] = rig.model.turns(GO).map((request) => request.asked.instructions ?? '')
      const at = plain?.indexOf(persona) ?? -1
      expect(at).toBeGreaterThan(-1)
      expect(asked).toContain('Speak like a pirate.')
      expect(asked?.includes(plain?.slice(at, at + 200) ?? '')).toBe(keepsItsOwn)
    })
  })

  test(`a list of tools is ${listed === undefined ? 'refused, and nothing is started' : 'all that is offered'}`, async () => {
    await scene([say('Done.')], async (face, rig) => {
      const ending = await start(face, { preset: presetIn(rig, 'tools: Read\n', '') })
      if (listed === undefined) {
        expect(ending.error).toMatchObject({
          code: 'UNSUPPORTED_CAPABILITY',
          data: { missing: ['toolFilter'] },
        })
        expect(rig.model.seen).toEqual([])
      } else {
        expect(ending.status).toBe('completed')
        expect(rig.model.turns(GO).map(({ asked }) => asked.tools)).toEqual([listed])
      }
    })
  })
}

const services = (scene: Scene, { faults, usedUp, exactMs }: Traits): void => {
  test.each(faults)('the model service: %s', async (_, step, code, retryable, words) => {
    await scene([step], async (face) => {
      const { status, error } = await start(face)
      expect([status, error?.code, error?.retryable]).toEqual(['failed', code, retryable])
      expect(error?.message).toContain(words)
    })
  })

  test('a used-up limit says when it begins anew', async () => {
    await scene([usedUp(SOON)], async (face) => {
      const { error } = await start(face)
      expect([error?.code, error?.retryable]).toEqual(['AGENT_BUSY', true])
      const { retryAfterMs = 0 } = (error?.data ?? {}) as { readonly retryAfterMs?: number }
      expect(Math.abs(retryAfterMs - (SOON * 1000 - Date.now()))).toBeLessThan(exactMs)
    })
  })

  test('a full context cuts the answer off, which keeps what was said', async () => {
    const step: Step = { do: 'break', text: 'half', code: 'context_length_exceeded' }
    await scene([step], async (face, rig) => {
      // An agent may ask once more, with words of its own.
      rig.model.aside = step
      expect(await start(face)).toMatchObject({ status: 'truncated', category: 'max_tokens', text: 'half' })
    })
  })

  test('a model server that is down fails the run', async () => {
    await scene([], async (face, rig) => {
      const { ending } = face.start(GO)
      await rig.model.close()
      expect(await ending).toMatchObject({
        status: 'failed',
        error: { code: 'MODEL_ERROR', retryable: true },
      })
    })
  })

  test('one that never answers is ended by the idle limit', async () => {
    await scene([{ do: 'hang' }], async (face, rig) => {
      expect(await start(face, { idleMs: 5000 })).toMatchObject({ status: 'timed_out', category: 'idle' })
      expect(rig.model.turns(GO).map((request) => request.aborted)).toEqual([true])
    })
  })
}

const ends = (scene: Scene, { shell, free, program }: Traits): void => {
  const hangs = (rig: Rig): boolean => rig.workspace.live().some(({ command }) => command.startsWith(HANGS))
  const hanging = async (face: Face, rig: Rig): Promise<Playing> => {
    const playing = face.start(GO, free)
    await playing.update(isCall)
    await expect.poll(() => hangs(rig), { timeout: 30_000 }).toBe(true)
    return playing
  }
  const steps = [shell(HANGS), say('Never said.')]

  test('a run that is interrupted takes its command with it', async () => {
    await scene(steps, async (face, rig) => {
      const playing = await hanging(face, rig)
      playing.cancel()
      expect(await playing.ending).toMatchObject({ status: 'cancelled' })
      expect(hangs(rig)).toBe(false)
    })
  })

  test('SIGKILL of its process fails the run, and its command is gone too', async () => {
    await scene(steps, async (face, rig) => {
      const playing = await hanging(face, rig)
      const own = rig.workspace.live().find(({ command }) => command.includes(program))
      expect(own).toBeDefined()
      if (own !== undefined) process.kill(own.pid, 'SIGKILL')
      expect(await playing.ending).toMatchObject({ status: 'failed', error: { code: 'AGENT_EXITED' } })
      expect(hangs(rig)).toBe(false)
    })
  })

  test('the end of the gateway in mid-tool leaves no process', async () => {
    await scene(steps, async (face, rig) => {
      const playing = await hanging(face, rig)
      await face.restart()
      expect(rig.workspace.live()).toEqual([])
      expect(await playing.ending).toMatchObject({ status: 'cancelled' })
    })
  })
}
