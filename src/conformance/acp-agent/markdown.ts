/** The table of requirements on ACP agents, as a part of `docs/conformance.md`. */
import { GATES } from './gates.ts'
import { ACP_REQUIREMENTS } from './requirements.ts'

const HEAD = `## Agents over ACP

What an agent owes that speaks ACP, and so what an editor can count on. \`subgate conformance --acp -- <command>\` checks
any agent, and \`subgate conformance --acp --provider NAME\` our own face before one of the agents here. Ids that begin
with \`ACP-\` are those of the protocol's own compatibility kit.

- \`MANDATORY\` is owed by every agent; what could not be tested counts as failed.
- \`CAPABILITY\` is owed where the agent advertises, or the caller gave, what stands under "with".
- \`ADVISORY\` is advice, and \`INFORMATIONAL\` records what was seen.
`

export const acpMarkdown = (): string => {
  const rows = ACP_REQUIREMENTS.map(({ id, title, level, gate }) =>
    [`\`${id}\``, title, level, gate === undefined ? '' : GATES[gate].words].join(' | '),
  )
  const head = ['id', 'what is owed', 'level', 'with']
  const table = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`)
  return `${HEAD}\n${table.join('\n')}\n`
}
