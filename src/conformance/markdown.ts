/** The manifest as the page `docs/conformance.md`. */
import { MANIFEST } from './manifest.ts'

const HEAD = `# Conformance

What every provider owes. The table is made from the manifest that the checks read; \`npm test\` fails when it is
out of date. A requirement with a capability is owed where that is claimed; elsewhere the verdict is \`refused\`:
asking for it must be refused by name, and nothing may be left of the attempt. Nothing is ever skipped.

Each claimed capability needs a cue in the fixture: a request that asks for the control, and a proof. The same cue
is played once more without the control, and the proof must fail there. How to write one:
[writing-a-provider.md](writing-a-provider.md).
`

export const conformanceMarkdown = (): string => {
  const rows = MANIFEST.map(({ id, title, level, capability, cue, source }) =>
    [`\`${id}\``, title, level, capability ?? '', cue ?? '', source].join(' | '),
  )
  const head = ['id', 'what is owed', 'level', 'capability', 'cue', 'source']
  const table = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`)
  return `${HEAD}\n${table.join('\n')}\n`
}
