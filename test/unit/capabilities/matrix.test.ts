/** The capability matrix as data and as a Markdown table. */
import { expect, test } from 'vitest'
import { CAPABILITY_IDS } from '../../../src/capabilities/catalog.ts'
import { matrix, matrixMarkdown } from '../../../src/capabilities/matrix.ts'
import { claims } from '../../../src/capabilities/rows.ts'

const subjects = [
  { name: 'plain', capabilities: claims(), negotiated: ['model'] },
  { name: 'able', capabilities: claims({ model: 'native', fork: 'emulated' }), negotiated: ['model'] },
] as const

test('the matrix has one row a capability and one cell a provider', () => {
  const rows = matrix(subjects)
  expect(rows.map(({ id }) => id)).toEqual(CAPABILITY_IDS)
  expect(rows.find(({ id }) => id === 'model')).toEqual({
    id: 'model',
    title: 'Model',
    support: {
      plain: { support: 'none', negotiated: true },
      able: { support: 'native', negotiated: true },
    },
  })
})

test('as Markdown, a star marks what the handshake may still lower, and never a none', () => {
  const lines = matrixMarkdown(subjects).split('\n')
  expect(lines.slice(0, 2)).toEqual(['| Capability | `plain` | `able` |', '| --- | --- | --- |'])
  expect(lines).toContain('| Model (`model`) | none | native \\* |')
  expect(lines).toContain('| Fork of a session (`fork`) | none | emulated |')
  expect(lines).toHaveLength(CAPABILITY_IDS.length + 2)
})
