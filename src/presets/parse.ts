/** Makes a preset of a Markdown text with front matter (B1.6). Pure; throws `INVALID_CONFIG` alone. */
import { basename } from 'node:path'
import type { ToolFilter } from '../contract/events.ts'
import { closest } from '../contract/parse.ts'
import { present } from '../contract/present.ts'
import type { Preset, SandboxMode } from '../contract/request.ts'
import { invalidPreset } from './fault.ts'
import type { Place } from './fault.ts'
import { readFrontMatter } from './front-matter.ts'
import type { Field } from './front-matter.ts'
import { INSTRUCTION_MODES, PERMISSION_MODES, PRESET_KEYS } from './keys.ts'

export interface ParsedPreset {
  readonly preset: Preset
  readonly description?: string
}

/** No path and nothing that looks like one, since a preset is named by either. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._:-]*[\p{L}\p{N}])?$/u

export const stemOf = (file: string): string => basename(file).replace(/\.md$/u, '')

export const parsePreset = (text: string, file: string): ParsedPreset => {
  const { fields, body } = readFrontMatter(text, file)
  const refuse = (field: Field, message: string, more: Place = {}): never => {
    throw invalidPreset(file, { line: field.line, key: field.key, ...more }, `"${field.key}" ${message}`)
  }
  for (const field of fields) checkKey(field, refuse)
  const of = (key: string): Field | undefined => fields.find((field) => field.key === key)
  const textOf = (key: string): string | undefined => readText(of(key), refuse)
  const allow = readNames(of('tools'), refuse)
  const deny = readNames(of('disallowedTools'), refuse)
  const filter: ToolFilter = present({ allow, deny })
  const model = textOf('model')
  return present({
    preset: present({
      name: readName(of('name'), file, refuse),
      instructions: readInstructions(of('instructions'), body, refuse),
      tools: Object.keys(filter).length === 0 ? undefined : filter,
      model: model === 'inherit' ? undefined : model,
      sandbox: readMode(of('permissionMode'), refuse),
    }),
    description: textOf('description'),
  })
}

type Refuse = (field: Field, message: string, more?: Place) => never

const KNOWN: readonly string[] = PRESET_KEYS.filter(({ use }) => use === 'read').map(({ key }) => key)

const checkKey = (field: Field, refuse: Refuse): void => {
  const row = PRESET_KEYS.find(({ key }) => key === field.key)
  if (row?.use === 'refused')
    refuse(
      field,
      'is a control that Subgate lacks, so the preset is refused. Remove the key to use the rest.',
    )
  if (row !== undefined) return
  const suggestion = closest(field.key, KNOWN)
  const advice =
    suggestion === undefined ? `Known keys: ${KNOWN.join(', ')}.` : `Did you mean "${suggestion}"?`
  refuse(field, `is an unknown key. ${advice}`, present({ suggestion }))
}

const takes = ({ key }: Field): string => PRESET_KEYS.find((row) => row.key === key)?.takes ?? 'a text'

const readText = (field: Field | undefined, refuse: Refuse): string | undefined => {
  if (field === undefined) return undefined
  const { value } = field
  if (value.kind === 'text' && value.text.trim() !== '') return value.text.trim()
  if (value.kind === 'empty' || value.kind === 'text')
    return refuse(field, `has no value. It takes ${takes(field)}; remove the key to ask for nothing.`)
  const what = value.kind === 'list' ? 'a list' : value.what
  return refuse(field, `is ${what}, but it takes ${takes(field)}. Put a text in quotes.`)
}

/** `[]` is a list of none, which asks for something; an empty text is a mistake. */
const readNames = (field: Field | undefined, refuse: Refuse): readonly string[] | undefined => {
  if (field === undefined) return undefined
  const { value } = field
  const names = value.kind === 'list' ? value.items : splitNames(readText(field, refuse) ?? '')
  const trimmed = [...new Set(names.map((name) => name.trim()))]
  if (trimmed.includes('') || (value.kind === 'text' && trimmed.length === 0))
    refuse(field, 'holds an empty name. Remove it; "[]" is a list of none.')
  return trimmed
}

/** Commas within brackets belong to the name. */
const splitNames = (text: string): readonly string[] => text.replace(/,\s*$/u, '').split(/,(?![^(]*\))/u)

const readName = (field: Field | undefined, file: string, refuse: Refuse): string => {
  const name = readText(field, refuse) ?? stemOf(file)
  if (NAME.test(name) && !name.endsWith('.md')) return name
  const rule =
    'A name is made of letters, digits, spaces and "._:-", and ends with none of the latter or ".md"'
  if (field !== undefined) return refuse(field, `can't be a name. ${rule}.`)
  throw invalidPreset(
    file,
    { key: 'name' },
    `the file's name can't be the preset's. ${rule}; give it a "name".`,
  )
}

const oneOf = <T extends string>(field: Field, known: readonly T[], refuse: Refuse): T => {
  const text = readText(field, refuse) ?? ''
  const found = known.find((word) => word === text)
  if (found !== undefined) return found
  const suggestion = closest(text, known)
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  return refuse(field, `has an unknown value. It takes ${known.join(', ')}.${hint}`, present({ suggestion }))
}

const readMode = (field: Field | undefined, refuse: Refuse): SandboxMode | undefined =>
  field === undefined ? undefined : PERMISSION_MODES.get(oneOf(field, [...PERMISSION_MODES.keys()], refuse))

/** No text asks for nothing, unless the key says that this is what is meant (B6.1). */
const readInstructions = (field: Field | undefined, body: string, refuse: Refuse): Preset['instructions'] => {
  const mode = field === undefined ? undefined : oneOf(field, INSTRUCTION_MODES, refuse)
  return body === '' && mode === undefined ? undefined : { mode: mode ?? 'append', text: body }
}
