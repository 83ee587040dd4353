/** What the checker of ACP agents finds on real agents, as a part of `docs/conformance.md`. */
import { ACP_REQUIREMENTS } from '../src/conformance/acp-agent/requirements.ts'
import { ACP_FINDINGS } from '../test/real/acp-findings.ts'
import type { Finding } from '../test/real/acp-findings.ts'

const HEAD = `### What real agents meet

Found by \`npm run test:real\` against a model on loopback, and compared with this table there. Left out are the
requirements that only record, and the one that measures how long an end takes. A row of \`subgate acp\` is what an editor
gets from our face before that agent; what stands under "not met" of the others is their own. Our face with the built-in
agent, and as a gateway before an agent that tells what it is sent, is checked by \`npm test\`. The two rows of OpenCode and
those of Claude Code's adapter take minutes, and are found and compared with \`SUBGATE_TEST_SLOW=1\` set.
`

/** With its level, as that says how much it weighs. */
const named = (id: string): string => {
  const level = ACP_REQUIREMENTS.find((row) => row.id === id)?.level ?? ''
  return `${id} (${level.toLowerCase()})`
}

const row = ({ title, face, version, passed, wrong, varies = [] }: Finding): string => {
  const what = face
    ? `\`subgate acp\` before ${title}`
    : `${title}${version === undefined ? '' : ` ${version}`}`
  const atTimes = varies.length === 0 ? [] : [`at times ${varies.map(named).join(', ')}`]
  const unmet = [...wrong.map(named), ...atTimes].join('; ')
  return `| ${what} | ${passed} | ${unmet === '' ? 'none' : unmet} |`
}

export const acpFindingsTable = (): string =>
  [HEAD, '| agent | met | not met |', '| --- | --- | --- |', ...ACP_FINDINGS.map(row), ''].join('\n')
