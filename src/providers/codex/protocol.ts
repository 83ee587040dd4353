/** The used part of the Codex app-server's protocol, validated at the border: what is unknown is left alone. */
import * as z from 'zod/mini'

export interface ThreadAnswer {
  readonly thread: { readonly id: string }
}

export interface TurnAnswer {
  readonly turn: { readonly id: string }
}

export interface TurnError {
  readonly message: string
  readonly codexErrorInfo?: unknown
  readonly additionalDetails?: string | null | undefined
}

export interface CompletedTurn {
  readonly id: string
  /** `completed`, `interrupted`, `failed`. */
  readonly status: string
  readonly error?: TurnError | null | undefined
}

/** One thing that happened in a turn: `type` says what its other fields are. */
export interface CodexItem {
  readonly type: string
  readonly id: string
  readonly [field: string]: unknown
}

export interface Delta {
  readonly itemId: string
  readonly delta: string
}

export interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

/** `total` is the thread's, `last` that of its last model call. */
export interface ThreadUsage {
  readonly tokenUsage: {
    readonly total: Tokens
    readonly last: Tokens
    readonly modelContextWindow?: number | null | undefined
  }
}

export interface TurnPlan {
  readonly plan: readonly { readonly step: string; readonly status: string }[]
}

export interface ErrorSaid {
  readonly error: TurnError
  readonly willRetry?: boolean | undefined
}

export interface Warning {
  readonly message?: string | null | undefined
  readonly summary?: string | null | undefined
  readonly details?: string | null | undefined
}

export interface McpStatus {
  readonly name: string
  readonly status: string
  readonly error?: string | null | undefined
}

/** How full the account's windows are, and when each begins anew, in seconds of the clock. */
export interface RateLimits {
  readonly rateLimits: {
    readonly primary?: RateWindow | null | undefined
    readonly secondary?: RateWindow | null | undefined
  }
}

export interface RateWindow {
  readonly usedPercent: number
  readonly resetsAt?: number | null | undefined
}

type Schema<T> = z.ZodMiniType<T>

const text = z.string()
const id = z.string().check(z.minLength(1))
const maybeText = z.optional(z.nullable(z.string()))

export const threadAnswer: Schema<ThreadAnswer> = z.object({ thread: z.object({ id }) })
export const turnAnswer: Schema<TurnAnswer> = z.object({ turn: z.object({ id }) })

const turnError = z.object({
  message: text,
  codexErrorInfo: z.optional(z.unknown()),
  additionalDetails: maybeText,
})

export const turnCompleted: Schema<{ readonly turn: CompletedTurn }> = z.object({
  turn: z.object({ id: text, status: text, error: z.optional(z.nullable(turnError)) }),
})

export const itemSaid: Schema<{ readonly item: CodexItem }> = z.object({
  item: z.looseObject({ type: text, id: text }),
})

export const deltaSaid: Schema<Delta> = z.object({ itemId: text, delta: text })

const tokens = z.object({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() })
export const usageSaid: Schema<ThreadUsage> = z.object({
  tokenUsage: z.object({
    total: tokens,
    last: tokens,
    modelContextWindow: z.optional(z.nullable(z.number())),
  }),
})

export const planSaid: Schema<TurnPlan> = z.object({
  plan: z.array(z.object({ step: text, status: text })),
})

export const errorSaid: Schema<ErrorSaid> = z.object({
  error: turnError,
  willRetry: z.optional(z.boolean()),
})

export const warningSaid: Schema<Warning> = z.object({
  message: maybeText,
  summary: maybeText,
  details: maybeText,
})

export const mcpStatusSaid: Schema<McpStatus> = z.object({ name: text, status: text, error: maybeText })

const rateWindow = z.optional(
  z.nullable(z.object({ usedPercent: z.number(), resetsAt: z.optional(z.nullable(z.number())) })),
)
export const rateLimitsSaid: Schema<RateLimits> = z.object({
  rateLimits: z.object({ primary: rateWindow, secondary: rateWindow }),
})

/** Undefined when it isn't what it should be: the caller says so, and goes on. */
export const read = <T>(schema: Schema<T>, value: unknown): T | undefined => {
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : undefined
}
