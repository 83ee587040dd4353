/** B13: schemas in the dialects that people write, and formats that nobody checks. */
import { expect, test, vi } from 'vitest'
import { schemaCheck } from '../../../src/runtime/schema-check.ts'

const fits = async (schema: object, value: unknown): Promise<boolean> =>
  'value' in (await schemaCheck(schema as never))(undefined, JSON.stringify(value))

test.each([
  'http://json-schema.org/draft-07/schema#',
  'http://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
])('a schema of the dialect %s is understood', async ($schema) => {
  const schema = { $schema, type: 'object', required: ['n'], properties: { n: { type: 'number' } } }
  expect([await fits(schema, { n: 1 }), await fits(schema, { n: 'x' })]).toEqual([true, false])
})

test('a tuple means what it means in its dialect', async () => {
  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    items: [{ type: 'number' }],
    additionalItems: false,
  }
  expect([await fits(old, [1]), await fits(old, ['x']), await fits(old, [1, 2])]).toEqual([
    true,
    false,
    false,
  ])
  const now = { prefixItems: [{ type: 'number' }], items: false }
  expect([await fits(now, [1]), await fits(now, ['x']), await fits(now, [1, 2])]).toEqual([
    true,
    false,
    false,
  ])
})

test('formats are accepted, and nothing is written about them', async () => {
  const written = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')]
  expect(await fits({ type: 'string', format: 'email' }, 'x')).toBe(true)
  expect(await fits({ type: 'string', format: 'no-such-format' }, 'x')).toBe(true)
  for (const spy of written) expect(spy).not.toHaveBeenCalled()
})

test.each([{ type: 'nothing' }, { $schema: 'http://json-schema.org/draft-03/schema#' }])(
  '%j is no JSON schema that is understood',
  async (schema) => {
    await expect(schemaCheck(schema)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      data: { field: 'outputSchema' },
    })
  },
)
