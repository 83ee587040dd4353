/** Finds where a text stops being JSON, without quoting any of it: what stands there may be secret. */

export interface JsonFault {
  readonly line: number
  readonly column: number
  readonly expected: string
}

type Want = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next' | 'end'

const WORDS: { readonly [W in Want]: string } = {
  value: 'a value',
  'first value': 'a value or "]"',
  name: 'a name in double quotes',
  'first name': 'a name in double quotes or "}"',
  colon: '":"',
  next: '"," or the closing bracket',
  end: 'the end of the file',
}

const SPACE = /[ \t\n\r]*/y
/** From the space on: control characters must be escaped. Unrolled, so that it never tries a text twice. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y

/** The first place where no JSON text could go on as this one does; undefined when it is JSON. */
export const jsonFault = (text: string): JsonFault | undefined => {
  const open: ('{' | '[')[] = []
  let want: Want = 'value'
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    at += found?.[0].length ?? 0
    return found !== null
  }
  const after = (): Want => (open.length === 0 ? 'end' : 'next')
  for (;;) {
    take(SPACE)
    const char = text[at]
    if (char === undefined) return want === 'end' ? undefined : faultAt(text, at, want)
    const closes = (char === '}' && open.at(-1) === '{') || (char === ']' && open.at(-1) === '[')
    const mayClose = want === 'next' || want === (char === '}' ? 'first name' : 'first value')
    if (closes && mayClose) {
      open.pop()
      at += 1
      want = after()
    } else if (want === 'next' && char === ',') {
      at += 1
      want = open.at(-1) === '{' ? 'name' : 'value'
    } else if (want === 'colon' && char === ':') {
      at += 1
      want = 'value'
    } else if ((want === 'name' || want === 'first name') && take(STRING)) {
      want = 'colon'
    } else if ((want === 'value' || want === 'first value') && (char === '{' || char === '[')) {
      open.push(char)
      at += 1
      want = char === '{' ? 'first name' : 'first value'
    } else if ((want === 'value' || want === 'first value') && (take(STRING) || take(SCALAR))) {
      want = after()
    } else return faultAt(text, at, want)
  }
}

const faultAt = (text: string, at: number, want: Want): JsonFault => {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected: WORDS[want] }
}
