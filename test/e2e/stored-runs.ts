/** Runs for tests of what is stored, and what the program says of them. */
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { fake } from './cli-rig.ts'
import type { Ended, Rig, Running } from './cli-rig.ts'

export const turn = (...steps: readonly (string | FakeStep)[]): readonly string[] =>
  fake([...acpHandshake(), ...acpTurn(steps)])

/** One JSON document. */
export const json = ({ stdout }: Ended): any => JSON.parse(stdout)
export const lines = ({ stdout }: Ended): readonly any[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

export const RUNS_TESTS: FakeStep = {
  update: { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Run the tests', kind: 'execute' },
}

/** A run that goes on until its agent is told to stop. */
export const hanging = async (rig: Rig, prompt = 'wait for it'): Promise<Running> => {
  const running = rig.start(['run', prompt, ...turn(RUNS_TESTS, 'I begin.\n', { hang: true })])
  await running.heard('I begin.')
  return running
}

export const stop = async (running: Running): Promise<void> => {
  running.child.kill('SIGINT')
  await running.ended
}
