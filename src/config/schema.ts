/** The strict schema of one configuration file; also the source of the JSON schema that is shipped. */
import * as z from 'zod/mini'
import '../contract/zod-config.ts'
import { depthSchema, mcpServersSchema, permissionSchema, sandboxSchema } from '../contract/request-schema.ts'
import type { GraceConfig, PartialConfig, PriceConfig, ProviderConfig, ToolConfig } from './config.ts'

/** Its some sixty parts take 2 ms, which a start without a configuration file is spared. */
const made = (): z.ZodMiniType<PartialConfig> => {
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

  return z.strictObject({
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
}

let kept: z.ZodMiniType<PartialConfig> | undefined

export const configSchema = (): z.ZodMiniType<PartialConfig> => (kept ??= made())
