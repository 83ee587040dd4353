/** Sets members of objects in JSON with comments; every other byte of the text stays as it is. Pure. */
import { applyEdits, createScanner, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Edit, Node, ParseError } from 'jsonc-parser'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonRecord
export interface JsonRecord {
  readonly [key: string]: JsonValue
}

/** The text can't be read as what it should be; the message is a clause without the file's name. */
export class JsoncFault extends Error {}

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true, disallowComments: false }

/** Undefined where the text holds comments and white space alone. */
export const readRoot = (text: string): Node | undefined => {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, OPTIONS)
  const [error] = errors
  if (error !== undefined) {
    const lines = text.slice(0, error.offset).split('\n')
    const what = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`)
    const column = (lines.at(-1) ?? '').length + 1
    throw new JsoncFault(`it is no JSON: ${what.toLowerCase()} at line ${lines.length}, column ${column}`)
  }
  if (root !== undefined && root.type !== 'object') throw new JsoncFault('its top level is no object')
  return root
}

/** The value of a member; a key that stands there twice means two things, and is a fault. */
export const memberOf = (object: Node, key: string): Node | undefined => {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key)
  if (found.length > 1) throw new JsoncFault(`the key "${key}" stands twice in one object`)
  return found[0]?.children?.[1]
}

const nested = (path: readonly string[], value: JsonValue): JsonValue =>
  path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)

/** Sets the value at the path, and makes the objects on the way. The text has no byte order mark. */
export const setAt = (text: string, path: readonly string[], value: JsonValue): string => {
  const eol = /\r?\n/u.exec(text)?.[0] ?? '\n'
  const root = readRoot(text)
  if (root === undefined) {
    const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`
    return `${before}${printed(nested(path, value), { eol, unit: '  ', indent: '' })}${eol}`
  }
  const unit = indentOf(text, root.children?.[0]?.offset ?? 0) || '  '
  let object = root
  for (const [depth, key] of path.entries()) {
    const below = memberOf(object, key)
    const rest = path.slice(depth + 1)
    if (below === undefined) {
      const style = { eol, unit, indent: memberIndent(text, object, unit) }
      return applyEdits(text, added(text, object, key, nested(rest, value), style))
    }
    if (rest.length === 0) {
      const content = inOneLine(text, object)
        ? spaced(value)
        : printed(value, { eol, unit, indent: indentOf(text, below.offset) })
      return applyEdits(text, [{ offset: below.offset, length: below.length, content }])
    }
    if (below.type !== 'object') throw new JsoncFault(`"${path.slice(0, depth + 1).join('.')}" is no object`)
    object = below
  }
  return text
}

interface Style {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
  readonly indent: string
}

const isObject = (value: JsonValue): boolean => typeof value === 'object' && value !== null

const printed = (value: JsonValue, style: Style): string => {
  if (!isObject(value)) return JSON.stringify(value)
  const { eol, unit, indent } = style
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Object.entries(value as JsonRecord)
  if (members.length === 0) return `${open}${close}`
  const isList = Array.isArray(value)
  const short = spaced(value)
  if (isList && short.length <= SHORT && !members.some(([, item]) => isObject(item))) return short
  const inner = indent + unit
  const lines = members.map(([key, item]) => {
    const text = printed(item, { ...style, indent: inner })
    return `${inner}${isList ? '' : `${JSON.stringify(key)}: `}${text}`
  })
  return [open, lines.join(`,${eol}`), `${indent}${close}`].join(eol)
}

/** A list of plain values that isn't longer stands in one line. */
const SHORT = 80

const inOneLine = (text: string, object: Node): boolean =>
  (object.children ?? []).length > 0 &&
  !text.slice(object.offset, object.offset + object.length).includes('\n')

/** The white space that the line of this offset begins with. */
const indentOf = (text: string, offset: number): string => {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/u.exec(text.slice(line, offset))?.[0] ?? ''
}

const memberIndent = (text: string, object: Node, unit: string): string => {
  const first = object.children?.[0]
  const ownLine = first !== undefined && text.slice(object.offset, first.offset).includes('\n')
  return ownLine ? indentOf(text, first.offset) : indentOf(text, object.offset) + unit
}

/** A new last member, behind all that belongs to the one before it: its comma, and comments on its line. */
const added = (text: string, object: Node, key: string, value: JsonValue, style: Style): Edit[] => {
  const close = object.offset + object.length - 1
  const last = object.children?.at(-1)
  const from = last === undefined ? object.offset + 1 : last.offset + last.length
  const { comma, end } = tail(text, from, close)
  const oneLine = inOneLine(text, object)
  const body = `${JSON.stringify(key)}: ${oneLine ? spaced(value) : printed(value, style)}`
  const { eol, indent, unit } = style
  const separator = last === undefined || comma ? '' : ','
  const edits: Edit[] = separator === '' ? [] : [{ offset: from, length: 0, content: separator }]
  if (oneLine) return [...edits, { offset: end, length: 0, content: ` ${body}${comma ? ',' : ''}` }]
  const rest = text.slice(end, close)
  const closing = rest.includes('\n') ? '' : `${eol}${indent.slice(0, indent.length - unit.length)}`
  const content = `${eol}${indent}${body}${last !== undefined && comma ? ',' : ''}${closing}`
  return [...edits, { offset: end, length: closing === '' ? 0 : rest.length, content }]
}

/** In one line. */
const spaced = (value: JsonValue): string => {
  if (!isObject(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  const members = Object.entries(value as JsonRecord)
  if (members.length === 0) return '{}'
  return `{ ${members.map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`).join(', ')} }`
}

/** Whether a comma follows, and where the comments end that belong to what stands before it. */
const tail = (
  text: string,
  from: number,
  close: number,
): { readonly comma: boolean; readonly end: number } => {
  const between = text.slice(from, close)
  const scanner = createScanner(between, false)
  let comma = false
  let end = 0
  for (;;) {
    scanner.scan()
    const stop = scanner.getTokenOffset() + scanner.getTokenLength()
    const token = between.slice(scanner.getTokenOffset(), stop)
    if (token === '') return { comma, end: from + end }
    if (token === ',') comma = true
    if (token.trim() !== '') end = stop
  }
}
