/** A report for people: what is wrong first, with all that went over the wire; then how many came to what. Pure. */
import { counts } from './report.ts'
import type { AcpReport, ReportedRequirement, Verdict } from './report.ts'

const VERDICTS: { readonly [V in Verdict]: string } = {
  conformant: 'Conformant.',
  partial: 'What was chosen is in order; not everything was checked.',
  not_conformant: 'Not conformant.',
  auth_blocked: 'Not checked: the agent wants a sign-in first. Sign in, or name a method with --auth-method.',
  version_blocked: 'Not checked: the agent does not speak version 1 of the protocol.',
}

export const reportText = (report: AcpReport): string => {
  const { requirements, agent, summary, verdict } = report
  const wrong = requirements.filter((row) => row.status === 'failed' || row.status === 'not_tested')
  const bad = wrong.filter(counts)
  const others = wrong.filter((row) => !counts(row))
  const notes = requirements.filter(({ status }) => status === 'recorded')
  const name = [agent.name ?? 'an agent without a name', agent.version].filter(Boolean).join(' ')
  return [
    `ACP v1 conformance of ${name}`,
    ...bad.flatMap((row) => ['', ...explained(row), ...(row.transcript ?? []).map((line) => `    ${line}`)]),
    ...section(
      'Not counted:',
      others.map((row) => `  ${explained(row).join(' ')}`),
    ),
    ...section(
      'Seen:',
      notes.map(({ id, title, detail = '' }) => `  ${id} ${title}: ${detail}`),
    ),
    '',
    ...Object.entries(summary).map(([level, found]) => `${level.padEnd(14)} ${told(found)}`),
    '',
    VERDICTS[verdict],
    '',
  ].join('\n')
}

const section = (head: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', head, ...lines]

const explained = ({ id, level, status, title, detail = '' }: ReportedRequirement): readonly string[] => [
  `${status.replace('_', ' ')} ${id} (${level}): ${title}`,
  `  ${detail}`,
]

const told = (found: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(found)
    .map(([status, count]) => `${count} ${status.replace('_', ' ')}`)
    .join(', ') || 'none chosen'
