/** The difference of two texts, for people: one hunk with the lines around it. Pure. */

const AROUND = 3

/** Without the end of the last line an empty line would seem to follow. */
const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\r?\n$/u, '').split(/\r?\n/u)

const commonLength = (one: readonly string[], other: readonly string[]): number => {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one[count] === other[count]) count += 1
  return count
}

/** As `diff -u` has it, without a head; empty when no line differs. */
export const diffText = (before: string, after: string): string => {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const start = commonLength(old, fresh)
  const [oldRest, freshRest] = [old.slice(start), fresh.slice(start)]
  const end = commonLength(oldRest.toReversed(), freshRest.toReversed())
  const [gone, come] = [oldRest.slice(0, oldRest.length - end), freshRest.slice(0, freshRest.length - end)]
  if (gone.length === 0 && come.length === 0) return ''
  const first = Math.max(0, start - AROUND)
  const last = old.slice(old.length - end, old.length - end + AROUND)
  const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark}${line}`)
  return [
    `@@ line ${first + 1} @@`,
    ...marked(' ', old.slice(first, start)),
    ...marked('-', gone),
    ...marked('+', come),
    ...marked(' ', last),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
