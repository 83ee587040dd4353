/** Every key of a preset's front matter, and every permission mode, as data. */
import type { SandboxMode } from '../contract/request.ts'

export interface PresetKey {
  readonly key: string
  readonly takes: string
  readonly says: string
  /** `ignored`: it controls nothing. `refused`: a control that Subgate lacks, so the whole preset is refused. */
  readonly use: 'read' | 'ignored' | 'refused'
  /** What the preset of an untrusted project may do with it. */
  readonly project: 'choose' | 'narrow'
}

type Rest = Partial<Pick<PresetKey, 'use' | 'project'>>

const entry = (key: string, takes: string, says: string, rest: Rest = {}): PresetKey => ({
  key,
  takes,
  says,
  use: 'read',
  project: 'choose',
  ...rest,
})

const LIST = 'names of tools: a list, or a text with commas'

export const PRESET_KEYS: readonly PresetKey[] = [
  entry('name', 'a name', 'The name of the preset; without it, that of the file.'),
  entry('description', 'a text', 'What it is for, shown in lists.'),
  entry('tools', LIST, 'The only tools that the agent has; without it, all.', { project: 'narrow' }),
  entry('disallowedTools', LIST, 'Tools that the agent lacks.', { project: 'narrow' }),
  entry('model', 'a model, or inherit', 'The model of the agent; `inherit` asks for nothing.'),
  entry('permissionMode', 'one of the modes below', 'The sandbox of the agent.', { project: 'narrow' }),
  entry(
    'instructions',
    'append or replace',
    "Whether the text below adds to the agent's own or replaces it.",
  ),
  entry('color', 'anything', 'Ignored.', { use: 'ignored' }),
  entry('hooks', 'nothing', 'Refused: Subgate lacks this control.', { use: 'refused' }),
  entry('mcpServers', 'nothing', 'Refused: Subgate lacks this control.', { use: 'refused' }),
  entry('skills', 'nothing', 'Refused: Subgate lacks this control.', { use: 'refused' }),
]

export const INSTRUCTION_MODES: readonly ('append' | 'replace')[] = ['append', 'replace']

/** `undefined`: the mode asks for nothing. */
export const PERMISSION_MODES: ReadonlyMap<string, SandboxMode | undefined> = new Map([
  ['default', undefined],
  ['plan', 'read-only'],
  ['acceptEdits', 'workspace-write'],
  ['auto', 'workspace-write'],
  ['dontAsk', 'workspace-write'],
  ['manual', 'workspace-write'],
  ['bypassPermissions', 'danger-full-access'],
])

/** The sandboxes that the preset of an untrusted project may ask for: no wider than `workspace-write`. */
export const UNTRUSTED_SANDBOX: { readonly [M in SandboxMode]: boolean } = {
  'read-only': true,
  'workspace-write': true,
  'danger-full-access': false,
}
