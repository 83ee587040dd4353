/** The text of a search's result, in the form of grep. Pure. */
import type { Hit } from './search.ts'

export type SearchOutput = 'lines' | 'files' | 'count'

const shortened = (text: string, most: number): string => {
  if (text.length <= most) return text
  const end = text.isWellFormed() && !text.slice(0, most).isWellFormed() ? most - 1 : most
  return `${text.slice(0, end)} [${text.length - end} more characters]`
}

const lines = (hits: readonly Hit[], nameOf: (path: string) => string, shown: number): readonly string[] => {
  const withContext = hits.some(({ isMatch }) => !isMatch)
  return hits.flatMap(({ path, line, text, isMatch }, index) => {
    const last = hits[index - 1]
    const gap = withContext && last !== undefined && (last.path !== path || last.line !== line - 1)
    const mark = isMatch ? ':' : '-'
    return [...(gap ? ['--'] : []), `${nameOf(path)}${mark}${line}${mark}${shortened(text, shown)}`]
  })
}

const counts = (hits: readonly Hit[], nameOf: (path: string) => string): readonly string[] => {
  const found = new Map<string, number>()
  for (const { path, isMatch } of hits) if (isMatch) found.set(path, (found.get(path) ?? 0) + 1)
  return [...found].map(([path, count]) => `${nameOf(path)}:${count}`)
}

/** `nameOf` makes a path of the result the path that people and the model know. */
export const searchText = (
  hits: readonly Hit[],
  output: SearchOutput,
  nameOf: (path: string) => string,
  shown: number,
): readonly string[] => {
  if (output === 'files') return [...new Set(hits.map(({ path }) => nameOf(path)))]
  return output === 'count' ? counts(hits, nameOf) : lines(hits, nameOf, shown)
}

/** The hits up to the given number of matches, and whether there were more. */
export const firstMatches = (
  hits: readonly Hit[],
  most: number,
): { readonly hits: readonly Hit[]; readonly more: boolean } => {
  let matches = 0
  const end = hits.findIndex(({ isMatch }) => isMatch && (matches += 1) > most)
  return end === -1 ? { hits, more: false } : { hits: hits.slice(0, end), more: true }
}
