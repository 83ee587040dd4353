/** What a script will still listen for, read from its steps. */
import type { FakeStep } from './fake-step.ts'

const inner = (step: FakeStep): readonly FakeStep[] => {
  if ('steps' in step) return step.steps
  if ('inOneWrite' in step) return step.inOneWrite
  return []
}

/** Whether a step, or one within it, waits for input. */
export const listens = (step: FakeStep): boolean =>
  'expect' in step || 'expectLine' in step || 'expectEnd' in step || inner(step).some(listens)

export const waitsForEnd = (step: FakeStep): boolean => 'expectEnd' in step || inner(step).some(waitsForEnd)

/** How often each method is expected, all rounds counted. */
export const expectations = (
  steps: readonly FakeStep[],
  rounds = 1,
  counts: Map<string, number> = new Map(),
): Map<string, number> => {
  for (const step of steps) {
    if ('expect' in step) counts.set(step.expect, (counts.get(step.expect) ?? 0) + rounds)
    else {
      const repeat = 'repeat' in step ? step.repeat : 1
      expectations(inner(step), rounds * (repeat === 'forever' ? Number.MAX_SAFE_INTEGER : repeat), counts)
    }
  }
  return counts
}
