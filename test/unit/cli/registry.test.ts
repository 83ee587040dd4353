/** What stands in `registry/` is what the ACP registry takes: its rules for an entry and for an icon. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

interface Entry {
  readonly version: string
  readonly distribution: { readonly npx: { readonly package: string; readonly args: readonly string[] } }
}

const entry = JSON.parse(read('registry/agent.json')) as Entry
const { name, version, license, bin } = JSON.parse(read('package.json')) as Record<string, string> & {
  readonly bin: Record<string, string>
}

const text = { type: 'string', minLength: 1 }
const packaged = {
  type: 'object',
  required: ['package'],
  additionalProperties: false,
  properties: {
    package: text,
    cmd: text,
    args: { type: 'array', items: { type: 'string' } },
    env: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

test('the entry has the members and forms that the registry asks for', () => {
  const validate = new Ajv().compile({
    type: 'object',
    required: ['id', 'name', 'version', 'description', 'distribution'],
    properties: {
      id: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
      name: text,
      // Each of the three parts is a number.
      version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
      description: text,
      license: text,
      distribution: {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: { npx: packaged, uvx: packaged },
      },
    },
  })
  validate(entry)
  expect(validate.errors).toBeNull()
})

test("it starts this version of this package, by the package's own program", () => {
  expect(entry).toMatchObject({ id: name, version, license })
  expect(entry.distribution.npx).toEqual({ package: `${name}@${version}`, args: ['acp'] })
  expect(Object.keys(bin)).toEqual([name])
})

test('the icon is square, of 16 by 16, in the color of the theme, and holds no comment', () => {
  const icon = read('registry/icon.svg')
  expect(icon).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="16" height="16" viewBox="0 0 16 16" /u,
  )
  const colors = [...icon.matchAll(/(?:fill|stroke)(?:="|\s*:\s*)([^";]+)/gu)].map(([, color]) => color)
  expect(colors).toContain('currentColor')
  expect(colors.filter((color) => !['currentColor', 'none'].includes(color ?? ''))).toEqual([])
  expect(icon).not.toMatch(/<!--|<style|<script|href=/u)
})
