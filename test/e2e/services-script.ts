/** What the tests of an editor's services share: what it offers, a form, and an agent that asks for them. */
import { fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import type { Rig } from './cli-rig.ts'

export const EVERYTHING = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
}

export const FORM = {
  mode: 'form',
  message: 'Which branch?',
  requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } },
}

/** The flags that start it. */
export const withFake = (rig: Rig, script: readonly FakeStep[], more: object = {}): readonly string[] => {
  const { command, args } = fakeAgentCommand(script)
  rig.configure({ providers: { fake: { command: [command, ...args] } }, ...more })
  return ['--provider', 'fake']
}

export const ask = (method: string, params: object): FakeStep => ({
  request: method,
  params: { sessionId: '{sessionId}', ...params },
})
