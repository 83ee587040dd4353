/** The import table of AGENTS.md, enforced: who may import whom, and how long a file may be. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

/** Longest prefix wins. A room may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  capabilities: ['contract'],
  wire: ['contract'],
  process: ['contract'],
  lineage: ['contract'],
  config: ['contract'],
  presets: ['contract'],
  telemetry: ['contract'],
  sessions: ['contract'],
  agent: ['contract', 'sessions', 'process'],
  'providers/in-process': ['contract', 'capabilities', 'sessions', 'agent'],
  'providers/acp': ['contract', 'capabilities', 'process', 'wire'],
  'providers/codex': ['contract', 'capabilities', 'process', 'wire'],
  'providers/claude-code': ['contract', 'capabilities', 'process', 'wire'],
  runtime: ['contract', 'capabilities', 'sessions', 'lineage'],
  gateway: [
    'contract',
    'capabilities',
    'wire',
    'process',
    'lineage',
    'config',
    'presets',
    'telemetry',
    'sessions',
    'providers/in-process',
    'providers/acp',
    'providers/codex',
    'providers/claude-code',
    'runtime',
  ],
  acp: ['contract', 'gateway'],
  mcp: ['contract', 'gateway'],
  daemon: ['contract', 'gateway', 'acp'],
  cli: ['contract', 'gateway', 'wire', 'gateway-store'],
  launch: ['config'],
  conformance: ['contract', 'capabilities', 'sessions', 'runtime', 'process', 'wire'],
  testing: ['contract', 'capabilities', 'wire'],
}

/** What a face may load when it is asked to, and not before. */
const MAY_LOAD_LAZILY: Readonly<Record<string, readonly string[]>> = {
  cli: ['acp', 'mcp', 'daemon', 'conformance'],
}

/** The entries of the package re-export; they stand beside the gateway. */
const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  'gateway.ts': [
    ...(MAY_IMPORT['gateway'] ?? []),
    'gateway-configuration',
    'gateway-lineage',
    'gateway-native',
    'gateway-presets',
    'gateway-providers',
    'gateway-store',
    'gateway-recovery',
    'gateway-retention',
    'gateway-sign-in',
    'gateway-signed-in',
    'gateway-telemetry',
    'gateway-usable',
    'gateway-recovery',
    'built-in-state',
    'root-request',
  ],
  'built-in-state.ts': ['agent'],
  'gateway-lineage.ts': ['contract', 'lineage', 'process', 'runtime'],
  'gateway-configuration.ts': ['contract', 'config', 'gateway-native', 'gateway-presets', 'providers/acp'],
  'gateway-native.ts': [
    'contract',
    'capabilities',
    'config',
    'process',
    'providers/acp',
    'providers/codex',
    'providers/claude-code',
  ],
  'gateway-presets.ts': ['contract', 'capabilities', 'config', 'presets'],
  'gateway-agents.ts': ['contract', 'config', 'runtime', 'sessions', 'agent', 'providers/in-process'],
  'gateway-providers.ts': [
    'contract',
    'config',
    'process',
    'runtime',
    'sessions',
    'providers/acp',
    'gateway-agents',
    'gateway-native',
  ],
  'gateway-store.ts': ['contract', 'config', 'process', 'sessions', 'agent'],
  'gateway-recovery.ts': ['contract', 'process', 'runtime', 'gateway-store', 'gateway-retention'],
  'gateway-retention.ts': ['gateway-store', 'sessions'],
  'gateway-sign-in.ts': ['contract', 'config', 'gateway-native', 'providers/acp'],
  'gateway-signed-in.ts': ['contract', 'config', 'gateway-native', 'gateway-usable', 'providers/acp'],
  'gateway-telemetry.ts': ['contract', 'telemetry'],
  'gateway-usable.ts': ['contract', 'config', 'providers/acp', 'built-in-state'],
  'root-request.ts': ['contract', 'config'],
  'provider-module.ts': ['contract', 'config'],
  'host-settings.ts': ['contract', 'config', 'runtime'],
  'version.ts': [],
  'index.ts': ['contract', 'capabilities', 'gateway', 'runtime', 'provider', 'sessions'],
  'provider.ts': ['contract', 'capabilities'],
}

/** Libraries that one room alone may use. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  execa: ['process'],
  pino: ['telemetry'],
  '@opentelemetry': ['telemetry'],
  commander: ['cli'],
  ajv: ['runtime', 'providers/in-process', 'conformance'],
  vitest: ['conformance/vitest.ts'],
  'node:sqlite': ['sessions', 'config'],
}

const ROOMS = Object.keys(MAY_IMPORT).toSorted((a, b) => b.length - a.length)

const roomOf = (file: string): string | undefined =>
  file.includes('/') ? ROOMS.find((room) => file.startsWith(`${room}/`)) : file.replace(/\.ts$/u, '')

interface Import {
  readonly file: string
  readonly specifier: string
  readonly lazy: boolean
  readonly typeOnly: boolean
}

const STATIC =
  /^(?:import|export)\s(?<what>[^'"]*?)from\s+'(?<specifier>[^']+)'|^import\s+'(?<bare>[^']+)'/gmu
const LAZY = /\bimport\('(?<specifier>[^']+)'\)/gu

const files: readonly string[] = globSync('**/*.ts', { cwd: SRC }).toSorted()

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8')
  const found = [...text.matchAll(STATIC)].map(({ groups = {} }) => ({
    file,
    specifier: groups['specifier'] ?? groups['bare'] ?? '',
    lazy: false,
    typeOnly: (groups['what'] ?? '').startsWith('type '),
  }))
  const lazy = [...text.matchAll(LAZY)].map(({ groups = {} }) => ({
    file,
    specifier: groups['specifier'] ?? '',
    lazy: true,
    typeOnly: false,
  }))
  return [...found, ...lazy]
})

const targetOf = ({ file, specifier }: Import): string => relative(SRC, join(SRC, dirname(file), specifier))

const allowed = ({ file, lazy, typeOnly }: Import, to: string): boolean => {
  const from = roomOf(file)
  if (!file.includes('/'))
    return (
      (ROOT_FILES[file] ?? []).includes(to) || ['version', 'provider-module', 'host-settings'].includes(to)
    )
  if (from === to || to === 'version') return true
  if (from === undefined) return false
  // A type that is needed beside a lazily loaded room costs nothing at run time.
  const later = lazy || typeOnly ? (MAY_LOAD_LAZILY[from] ?? []) : []
  return [...(MAY_IMPORT[from] ?? []), ...later].includes(to)
}

describe('who may import whom', () => {
  test('every file stands in a room of the table, or is an entry', () => {
    const homeless = files.filter((file) =>
      file.includes('/') ? roomOf(file) === undefined : ROOT_FILES[file] === undefined,
    )
    expect(homeless).toEqual([])
  })

  test('rooms import only what the table allows', () => {
    const wrong = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map((found) => ({ found, to: roomOf(targetOf(found)) ?? targetOf(found) }))
      .filter(({ found, to }) => !allowed(found, to))
      .map(({ found, to }) => `${found.file} → ${to}${found.lazy ? ' (lazily)' : ''}`)
    expect(wrong).toEqual([])
  })

  test('libraries that belong to one room stay there', () => {
    const wrong = imports
      .filter(({ specifier }) => !specifier.startsWith('.'))
      .filter(({ file, specifier }) => {
        const rooms = Object.entries(ONLY_IN).find(
          ([name]) => specifier === name || specifier.startsWith(`${name}/`),
        )?.[1]
        return rooms !== undefined && !rooms.some((room) => file === room || file.startsWith(`${room}/`))
      })
      .map(({ file, specifier }) => `${file} → ${specifier}`)
    expect(wrong).toEqual([])
  })

  test('the ACP SDK is loaded by the ACP face alone; elsewhere only its types are used', () => {
    const wrong = imports
      .filter(
        ({ file, specifier, typeOnly }) =>
          specifier.startsWith('@agentclientprotocol/') && !typeOnly && !file.startsWith('acp/'),
      )
      .map(({ file }) => file)
    expect(wrong).toEqual([])
  })
})

describe('the shape of the sources', () => {
  test('no file is longer than 300 lines, and the median is at most 100', () => {
    const lengths = files.map((file) => ({
      file,
      lines: readFileSync(join(SRC, file), 'utf8').split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
    const median = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)]
    expect(median).toBeLessThanOrEqual(100)
  })

  test('no folder or file is a place for leftovers', () => {
    const names = /(?:^|\/)(?:utils?|helpers?|common|managers?|impl|misc)(?:\.ts$|\/)/u
    expect(files.filter((file) => names.test(file))).toEqual([])
  })

  test('every file begins with a sentence that says what it is', () => {
    const silent = files.filter((file) => {
      const [first = ''] = readFileSync(join(SRC, file), 'utf8')
        .replace(/^#!.*\n/u, '')
        .split('\n')
      return !/^\/\*\*? \S/u.test(first) && first !== '/**'
    })
    expect(silent).toEqual([])
  })

  test("an agent's name stands only in its own provider, where that is built, and in the list of known agents", () => {
    const names = /\b(?:claude|codex|gemini|opencode)\b/iu
    const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, '')
    const allowedFiles =
      /^(?:providers\/(?:codex|claude-code)\/|providers\/acp\/agents\.ts$|gateway-native\.ts$|contract\/preset-folders\.ts$|process\/environment-names\.ts$)/u
    const wrong = files.filter(
      (file) => !allowedFiles.test(file) && names.test(code(readFileSync(join(SRC, file), 'utf8'))),
    )
    expect(wrong).toEqual([])
  })
})
