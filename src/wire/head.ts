/** Reads the outer members of a JSON object of which only the beginning is known. */

export interface Head {
  /** Outer members whose value is a complete string, number or literal. */
  readonly scalars: ReadonlyMap<string, unknown>
  /** All outer keys seen, complete or not. */
  readonly keys: ReadonlySet<string>
}

const STRING = /"(?:[^"\\]|\\.)*"/y
const SCALAR = /(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,}])/y
const SPACE_OR_COMMA = /[\s,]*/y
const COLON = /\s*:\s*/y

export const readHead = (text: string): Head => {
  const scalars = new Map<string, unknown>()
  const keys = new Set<string>()
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  take(SPACE_OR_COMMA)
  if (text[at] !== '{') return { scalars, keys }
  at += 1
  for (;;) {
    take(SPACE_OR_COMMA)
    const key = parsed(take(STRING))
    if (typeof key !== 'string' || take(COLON) === undefined) return { scalars, keys }
    keys.add(key)
    const scalar = take(SCALAR)
    if (scalar !== undefined) scalars.set(key, parsed(scalar))
    else {
      const end = endOfNested(text, at)
      if (end === undefined) return { scalars, keys }
      at = end
    }
  }
}

const parsed = (json: string | undefined): unknown => {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    // Not JSON after all, such as a raw control character in a string: as good as not there.
    return undefined
  }
}

/** Where the array or object that begins at `start` ends; undefined when it is cut off. */
const endOfNested = (text: string, start: number): number | undefined => {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      STRING.lastIndex = at
      if (!STRING.test(text)) return undefined
      at = STRING.lastIndex - 1
    } else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
      if (depth < 0) return undefined
    } else if (depth === 0) return undefined
  }
  return undefined
}
