/** Writes the generated pages and tables; `test/docs.test.ts` checks that they are up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configJsonSchema } from '../src/config/json-schema.ts'
import { configKeyTable } from '../src/config/key-table.ts'
import { acpMarkdown } from '../src/conformance/acp-agent/markdown.ts'
import { conformanceMarkdown } from '../src/conformance/markdown.ts'
import { acpFindingsTable } from './acp-findings-table.ts'
import { errorsPage } from './errors-page.ts'
import { capabilityTable } from './capability-table.ts'

const root = join(import.meta.dirname, '..')

/** Each generated part of the documentation, by file; a marked part stands between two comments of its name. */
export const generated = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/errors.md', text: errorsPage() },
  { file: 'docs/config.schema.json', text: `${JSON.stringify(configJsonSchema(), undefined, 2)}\n` },
  { file: 'docs/configuration.md', text: marked('docs/configuration.md', 'keys', configKeyTable()) },
  {
    file: 'docs/conformance.md',
    text: [conformanceMarkdown(), acpMarkdown(), acpFindingsTable()].join('\n'),
  },
  { file: 'README.md', text: marked('README.md', 'capabilities', capabilityTable()) },
]

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
const marked = (file: string, name: string, text: string): string => {
  const page = readFileSync(join(root, file), 'utf8')
  const part = new RegExp(`(<!-- ${name} -->)[\\s\\S]*?(<!-- /${name} -->)`, 'u')
  return page.replace(part, (_, open: string, close: string) => `${open}\n\n${text.trim()}\n\n${close}`)
}

if (process.argv[1] === import.meta.filename) {
  for (const { file, text } of generated()) writeFileSync(join(root, file), text)
}
