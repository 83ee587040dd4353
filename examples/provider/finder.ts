/** A provider that is a function: it looks for a word in the files of its directories. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineProvider } from 'subgate/provider'
import type { SubagentProvider } from 'subgate/provider'

export const provider: SubagentProvider = defineProvider({
  name: 'finder',
  capabilities: { additionalDirectories: 'native' },
  run: async ({ text, cwd, request }, turn) => {
    const follow = text.startsWith('follow ')
    const word = follow ? text.slice('follow '.length) : text
    const seen = new Set<string>()
    for (;;) {
      for (const folder of [cwd, ...request.additionalDirectories]) {
        for (const line of await linesIn(folder)) {
          if (!line.includes(word) || seen.has(line)) continue
          seen.add(line)
          turn.say(`${line}\n`)
        }
      }
      if (!follow) return
      // A cancel ends the wait; what is thrown then is part of the cancel.
      await delay(100, undefined, { signal: turn.signal })
    }
  },
})

const linesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(folder, name))
  const texts = await Promise.all(files.toSorted().map((file) => readFile(file, 'utf8')))
  return texts.flatMap((text) => text.split('\n'))
}
