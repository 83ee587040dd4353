/** Reads a Markdown text's front matter into fields with their lines, and the body behind it. Pure. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Document, YAMLError } from 'yaml'
import { invalidPreset } from './fault.ts'

export type FieldValue =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** Nothing that a preset may hold; `what` names it. */
  | { readonly kind: 'other'; readonly what: string }

export interface Field {
  readonly key: string
  readonly line: number
  readonly value: FieldValue
}

export interface FrontMatter {
  readonly fields: readonly Field[]
  readonly body: string
}

const FENCE = /^---[ \t]*$/u

interface Parts {
  readonly head: readonly string[]
  readonly body: string
}

const split = (text: string, file: string): Parts => {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r?\n/u)
  if (!FENCE.test(lines[0] ?? ''))
    throw invalidPreset(file, { line: 1 }, 'it has no front matter. Begin the file with a line "---".')
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  if (end < 0)
    throw invalidPreset(file, { line: 1 }, 'its front matter has no end. Close it with a line "---".')
  const body = lines.slice(end + 1).join('\n')
  return { head: lines.slice(1, end), body: body.replace(/^\s*\n/u, '').trimEnd() }
}

/** The parser's time grows with the square of what is nested; a project's file is foreign. */
const LONGEST = 32 * 1024

/** The first line of the front matter is the second of the file. */
const HEAD_STARTS = 1

export const readFrontMatter = (text: string, file: string): FrontMatter => {
  const { head, body } = split(text, file)
  const yaml = head.join('\n')
  if (yaml.length > LONGEST)
    throw invalidPreset(file, { line: 2 }, 'its front matter is longer than 32 KiB. Move text below it.')
  const counter = new LineCounter()
  const lineAt = (offset: number | undefined): number =>
    Math.max(1, counter.linePos(offset ?? 0).line) + HEAD_STARTS
  const document = documentOf(yaml, counter, file)
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw badYaml(fault, lineAt(fault.pos[0]), head, file)
  const { contents } = document
  if (contents === null) return { fields: [], body }
  if (!isMap(contents))
    throw invalidPreset(file, { line: 2 }, 'its front matter is no list of keys. Write "key: value" lines.')
  const fields = contents.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : '',
    line: lineAt(isScalar(key) ? key.range?.[0] : undefined),
    value: valueOf(value),
  }))
  return { fields, body }
}

/** Nesting without end exhausts the parser's stack. */
const documentOf = (text: string, lineCounter: LineCounter, file: string): Document.Parsed => {
  try {
    return parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      strict: true,
      stringKeys: true,
      uniqueKeys: true,
      logLevel: 'silent',
    })
  } catch {
    throw invalidPreset(
      file,
      { line: 2 },
      'its front matter can\'t be read. Write it as plain "key: value" lines.',
    )
  }
}

const badYaml = ({ message }: YAMLError, line: number, head: readonly string[], file: string) => {
  const above = head.slice(0, line - HEAD_STARTS).toReversed()
  const key = above
    .map((text) => /^["']?([\w-]+)["']?\s*:/u.exec(text)?.[1])
    .find((name) => name !== undefined)
  const what = message.replace(/\.$/u, '')
  const at = key === undefined ? '' : `at "${key}", `
  return invalidPreset(
    file,
    { line, ...(key !== undefined && { key }) },
    `${at}this is no YAML (${what}). Correct it; a text that holds ": " or " #" stands in quotes.`,
  )
}

const valueOf = (node: unknown): FieldValue => {
  if (node === null || (isScalar(node) && node.value === null)) return { kind: 'empty' }
  if (isScalar(node))
    return typeof node.value === 'string'
      ? { kind: 'text', text: node.value }
      : { kind: 'other', what: `a ${typeof node.value}` }
  if (isMap(node)) return { kind: 'other', what: 'a mapping' }
  if (!isSeq(node)) return { kind: 'other', what: 'an alias' }
  const items = node.items.map((item) =>
    isScalar(item) && typeof item.value === 'string' ? item.value : undefined,
  )
  const texts = items.filter((item) => item !== undefined)
  return texts.length === items.length
    ? { kind: 'list', items: texts }
    : { kind: 'other', what: 'a list of more than names' }
}
