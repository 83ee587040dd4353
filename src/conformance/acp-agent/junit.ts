/** A report as JUnit's XML, for systems that show test results. Pure. */
import { counts } from './report.ts'
import type { AcpReport, ReportedRequirement } from './report.ts'

export const junitOf = ({ requirements, agent, verdict }: AcpReport): string => {
  const failures = requirements.filter(counts).length
  const skipped = requirements.filter((row) => !counts(row) && isSkipped(row)).length
  const name = escaped(agent.name ?? 'agent')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ACP conformance of ${name}: ${verdict}" tests="${requirements.length}" failures="${failures}" skipped="${skipped}">`,
    `  <testsuite name="ACP v1" tests="${requirements.length}" failures="${failures}" skipped="${skipped}">`,
    ...requirements.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const isSkipped = ({ status }: ReportedRequirement): boolean =>
  status === 'not_tested' || status === 'not_advertised'

const testCase = (row: ReportedRequirement): string => {
  const { id, level, title, durationMs, detail = '', transcript = [] } = row
  const head = `    <testcase classname="${level}" name="${escaped(`${id}: ${title}`)}" time="${(durationMs / 1000).toFixed(3)}"`
  const out = transcript.length === 0 ? '' : `<system-out>${escaped(transcript.join('\n'))}</system-out>`
  if (counts(row)) return `${head}><failure message="${escaped(detail)}"/>${out}</testcase>`
  if (isSkipped(row)) return `${head}><skipped message="${escaped(detail)}"/></testcase>`
  // A failed piece of advice is no failure of the agent.
  const note = detail === '' ? '' : `<system-out>${escaped(detail)}</system-out>`
  return note === '' ? `${head}/>` : `${head}>${note}</testcase>`
}

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no way to write most control characters. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>"]/gu, (character) => NAMES[character] ?? character)
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('\n', '&#10;')
