/** Lists the numbered behaviours that no test cites: `node scripts/behaviour.ts`. A test fails on any but the open ones. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How many numbers each section has. */
const SECTIONS: Readonly<Record<string, number>> = {
  B1: 6,
  B2: 7,
  B3: 9,
  B4: 6,
  B5: 3,
  B6: 2,
  B7: 6,
  B8: 3,
  B9: 4,
  B10: 4,
  B11: 3,
  B12: 3,
  B13: 2,
}

/** Not built yet: the auto reviewer, emulated structured output. */
export const OPEN: readonly string[] = ['B5.1', 'B5.2', 'B5.3', 'B13.2']

const ALL: readonly string[] = Object.entries(SECTIONS).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
)

/** `B2.1–B2.5`, `B2.1-5` and plain `B3.4`. */
const CITED = /\b(B\d+)\.(\d+)(?:\s*[–-]\s*(?:\1\.)?(\d+))?/gu

export const cited = (text: string): readonly string[] =>
  [...text.matchAll(CITED)].flatMap(([, section = '', from = '', to = from]) =>
    Array.from(
      { length: Math.max(Number(to) - Number(from) + 1, 1) },
      (_, index) => `${section}.${Number(from) + index}`,
    ),
  )

export const uncited = (root: string): readonly string[] => {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/real/node_modules/**'] })
  const found = new Set(files.flatMap((file) => cited(readFileSync(join(root, file), 'utf8'))))
  return ALL.filter((number) => !found.has(number))
}

if (process.argv[1] === import.meta.filename) {
  for (const number of uncited(join(import.meta.dirname, '..'))) {
    console.log(OPEN.includes(number) ? `${number} (open)` : number)
  }
}
