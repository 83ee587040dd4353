/** The examples of docs/writing-a-provider.md: they stand there word for word, and hold what they claim. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixture } from '../../examples/provider/finder-fixture.ts'
import { describeProvider } from '../../src/conformance/vitest.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/writing-a-provider.md'), 'utf8')

test.each(['examples/provider/finder.ts', 'examples/provider/finder-fixture.ts'])(
  '%s stands on the page',
  (file) => {
    const source = readFileSync(join(root, file), 'utf8')
    expect(page).toContain(`<!-- ${file} -->\n\`\`\`ts\n${source}\`\`\`\n`)
  },
)

describeProvider('the finder of the examples', fixture)
