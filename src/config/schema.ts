/** The strict schema of one configuration file, and what is said when a file doesn't fit it. */
import * as z from 'zod/mini'
import '../contract/zod-config.ts'
import { SubagentError } from '../contract/errors.ts'
import { complaint } from '../contract/parse.ts'
import { depthSchema, mcpServersSchema, permissionSchema, sandboxSchema } from '../contract/request-schema.ts'
import type { GraceConfig, PartialConfig, PriceConfig, ProviderConfig, ToolConfig } from './config.ts'
import { jsonFault } from './json-text.ts'
import { keysUnder, rowOf } from './keys.ts'
import { printable } from '../contract/printable.ts'

const name = z.string().check(z.minLength(1, { error: 'must not be empty' }))

const amount = z.number({ error: 'must be a number of at least 0' }).check(
  z.gte(0, { error: 'must be a number of at least 0' }),
  z.refine((value) => Number.isFinite(value), { error: 'must be a finite number' }),
)
const whole = (least: number): z.ZodMiniType<number> =>
  z
    .int({ error: `must be an integer of at least ${least}` })
    .check(z.gte(least, { error: `must be an integer of at least ${least}` }))

/** Without a dot, so that a dotted key has one reading. */
const label = z.string().check(
  z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, {
    error: 'a name is made of letters, digits, "-" and "_" and starts with a letter or digit',
  }),
)
const variable = z
  .string()
  .check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'this is no name of an environment variable' }))

const graces: z.ZodMiniType<GraceConfig> = z.strictObject({
  eofMs: z.exactOptional(amount),
  termMs: z.exactOptional(amount),
  cancelMs: z.exactOptional(amount),
})

const provider: z.ZodMiniType<ProviderConfig> = z
  .strictObject({
    command: z.exactOptional(
      z.array(z.string()).check(
        z.refine((words) => words[0] !== undefined && words[0] !== '', {
          error: 'must be a list that starts with the program',
        }),
      ),
    ),
    module: z.exactOptional(name),
    env: z.exactOptional(
      z.record(
        variable,
        z.union([z.string(), z.literal(true)], {
          error: 'must be a string, or true to pass the variable on',
        }),
      ),
    ),
    permission: z.exactOptional(permissionSchema),
    asks: z.exactOptional(z.boolean()),
    sandbox: z.exactOptional(z.literal('provider-managed')),
    fs: z.exactOptional(
      z.strictObject({ read: z.exactOptional(z.boolean()), write: z.exactOptional(z.boolean()) }),
    ),
    terminal: z.exactOptional(z.boolean()),
    concurrency: z.exactOptional(whole(1)),
    warm: z.exactOptional(z.boolean()),
    graces: z.exactOptional(graces),
  })
  .check(
    z.refine((value) => value.command === undefined || value.module === undefined, {
      error: 'has both "command" and "module"; keep one of them',
    }),
  )

const tool: z.ZodMiniType<Partial<ToolConfig>> = z.strictObject({
  provider: z.exactOptional(name),
  maxDepth: z.exactOptional(
    z.union([depthSchema, z.literal('provider-managed')], {
      error: 'must be a non-negative integer or "provider-managed"',
    }),
  ),
  includeRuntimeContext: z.exactOptional(z.boolean()),
})

const model = z.string().check(
  z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]*\/\S+$/, {
    error: 'a model is named as provider/model',
  }),
)

const price: z.ZodMiniType<PriceConfig> = z.strictObject({
  input: amount,
  output: amount,
  cachedInput: z.exactOptional(amount),
})

const mcpServers = mcpServersSchema.check(
  z.refine((servers) => new Set(servers.map((server) => server.name)).size === servers.length, {
    error: 'two servers have the same name',
  }),
)

/** Also the source of the JSON schema that is shipped. */
export const configSchema: z.ZodMiniType<PartialConfig> = z.strictObject({
  $schema: z.exactOptional(z.string()),
  defaultProvider: z.exactOptional(name),
  model: z.exactOptional(name),
  sandbox: z.exactOptional(sandboxSchema),
  permission: z.exactOptional(permissionSchema),
  permissionTimeoutMs: z.exactOptional(amount),
  limits: z.exactOptional(
    z.strictObject({
      startupMs: z.exactOptional(amount),
      idleMs: z.exactOptional(amount),
      totalMs: z.exactOptional(amount),
    }),
  ),
  concurrency: z.exactOptional(
    z.strictObject({ total: z.exactOptional(whole(1)), queue: z.exactOptional(whole(0)) }),
  ),
  subagent: z.exactOptional(z.strictObject({ maxDepth: z.exactOptional(depthSchema) })),
  retentionDays: z.exactOptional(whole(0)),
  mcpServers: z.exactOptional(mcpServers),
  prices: z.exactOptional(z.record(model, price)),
  providers: z.exactOptional(z.record(label, provider)),
  tools: z.exactOptional(z.record(label, tool)),
})

export const invalidConfig = (
  file: string,
  message: string,
  data: { readonly key?: string; readonly suggestion?: string } = {},
): SubagentError<'INVALID_CONFIG'> =>
  new SubagentError('INVALID_CONFIG', 'request', printable(`Invalid configuration in ${file}: ${message}`), {
    file,
    ...data,
  })

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The engine's own message quotes the text around the fault.
    const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: 'JSON' }
    throw invalidConfig(file, `line ${line}, column ${column}: this is no JSON; expected ${expected} there.`)
  }
}

/** Reads the text of one file. No message quotes a value. */
export const parseConfig = (file: string, text: string): PartialConfig => {
  const parsed = configSchema.safeParse(parseJson(file, text.replace(/^\uFEFF/, '')))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = (issue?.path ?? []).map(String)
  const known = keysUnder(at)
  const { path, message, suggestion } = complaint(parsed.error, known)
  const row = rowOf(at)
  const advice =
    suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : issue?.code === 'unrecognized_keys' && known.length > 0
        ? `Known keys here: ${known.join(', ')}.`
        : row === undefined
          ? 'Correct it there.'
          : `It takes ${row.takes}.`
  const where = path === '' || message.includes(path) ? '' : `"${path}": `
  throw invalidConfig(file, `${where}${message}. ${advice}`, {
    ...(path !== '' && { key: path }),
    ...(suggestion !== undefined && { suggestion }),
  })
}
