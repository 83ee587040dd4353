/** What must be seen before a claimed capability counts as honoured, as data. */
import type { CapabilityId } from '../contract/capabilities.ts'

/**
 * `said`: the fixture's own predicate over the run's events and result. `effect`: in the attempt, a file named
 * `place.marker` is written unless the control holds the agent back; the check looks for the file itself.
 * Either way the same cue is played once more without the control, and the proof must fail there.
 */
export interface Proof {
  readonly title: string
  readonly shows: string
  readonly by: 'said' | 'effect'
}

export const PROOFS: { readonly [Id in CapabilityId]: Proof } = {
  depthLimit: {
    title: 'Depth limit',
    by: 'effect',
    shows: 'with `maxDepth: 0` an agent of its own that would write the marker never comes to it',
  },
  persona: {
    title: 'Preset instructions',
    by: 'said',
    shows: 'the agent follows or repeats the instructions of the preset',
  },
  toolFilter: {
    title: 'Preset tools',
    by: 'effect',
    shows: 'a denied tool that would write the marker, called by its exact name, does not run',
  },
  sandbox: {
    title: 'Sandbox',
    by: 'effect',
    shows: 'under `read-only` the marker is not written',
  },
  permissions: {
    title: 'Permission policy',
    by: 'effect',
    shows: 'under `deny` the agent asks, is denied by policy, and the marker is not written',
  },
  outputSchema: {
    title: 'Structured output',
    by: 'said',
    shows: 'the run completes with a value that fits the schema',
  },
  images: { title: 'Images', by: 'said', shows: 'the agent tells what is in the image' },
  audio: { title: 'Audio', by: 'said', shows: 'the agent tells what is in the audio' },
  resources: { title: 'Embedded resources', by: 'said', shows: 'the agent tells what is in the resource' },
  additionalDirectories: {
    title: 'Further directories',
    by: 'said',
    shows: 'the agent works with the directory as a root of its session',
  },
  model: { title: 'Model', by: 'said', shows: 'the turn runs on the model that was named' },
  effort: { title: 'Reasoning effort', by: 'said', shows: 'the turn runs with the effort that was named' },
  mcpServers: { title: 'MCP servers', by: 'said', shows: 'the agent is connected to the server' },
  resume: {
    title: 'Follow-ups and resume',
    by: 'said',
    shows: 'a follow-up knows what was said before; a native one also after the agent was closed',
  },
  fork: { title: 'Fork', by: 'said', shows: 'a copy knows what was said before, in a session of its own' },
  steer: { title: 'Steering', by: 'said', shows: 'text that is given in mid-turn reaches that turn' },
  maxTurns: {
    title: 'Turn limit',
    by: 'said',
    shows: 'the run is truncated by `max_turns`, and only with the limit',
  },
  maxTokens: {
    title: 'Token limit',
    by: 'said',
    shows: 'the run is truncated by `max_tokens`, and only with the limit',
  },
  maxCostUsd: {
    title: 'Cost limit',
    by: 'said',
    shows: 'the run is truncated by `budget`, and only with the limit',
  },
}
