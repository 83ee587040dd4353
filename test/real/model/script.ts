/** What the model does in a test: steps for a prompt, and how a request finds its step. */

export type Step =
  /** Text, one word a delta; the last word waits for `until`. */
  | { readonly do: 'say'; readonly text: string; readonly until?: Promise<unknown> }
  /** `namespace`: of a tool that a server brings along, as one of the services has it. */
  | {
      readonly do: 'call'
      readonly tool: string
      readonly namespace?: string
      /** Made from the request where it depends on what a tool has answered. */
      readonly input: ToolInput | ((request: ModelRequest) => ToolInput)
      /** The model calls it whether it is offered or not. */
      readonly unoffered?: true
    }
  /** Text that is made from the request. */
  | { readonly do: 'tell'; readonly tell: (request: ModelRequest) => string }
  /** Text, and then the service gives the answer up in its own words. */
  | { readonly do: 'break'; readonly text: string; readonly code: BreakCode }
  /** An error of the service, in its own shape; or with a body and headers of its own. */
  | {
      readonly do: 'fail'
      readonly status: number
      readonly body?: object
      readonly headers?: Readonly<Record<string, string>>
    }
  /** What no service of its kind says, as from a proxy in between. */
  | { readonly do: 'garbage'; readonly text: string }
  /** The request is taken and never answered. */
  | { readonly do: 'hang' }
  /** The stream starts with this text and then the connection is gone. */
  | { readonly do: 'cut'; readonly text: string }

export type ToolInput = Readonly<Record<string, unknown>>

export type BreakCode = 'context_length_exceeded' | 'server_error' | 'rate_limit_exceeded' | 'refusal'

/** A conversation as far as the script needs it, in order. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'said' }
  | { readonly kind: 'result'; readonly text?: string }

/** What the services' requests come down to once they were found correct. */
export interface ModelRequest {
  readonly model: string
  readonly stream: boolean
  readonly entries: readonly Entry[]
  readonly tools: readonly string[]
  /** The JSON schema that the answer has to fit, when one was sent. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** What the agent itself is told, as against its user. */
  readonly instructions?: string
  readonly effort?: string
  readonly images?: number
}

export interface Turn {
  readonly prompt: string
  /** How many of the turn's tool calls have their results. */
  readonly done: number
}

/**
 * The scripted turn that a request continues: its last scripted prompt, unless that was answered already.
 * Agents also ask for titles and suggestions on their own; those requests belong to no turn.
 */
export const turnOf = (entries: readonly Entry[], prompts: ReadonlySet<string>): Turn | undefined => {
  const at = entries.findLastIndex((entry) => entry.kind === 'user' && prompts.has(entry.text))
  const start = entries[at]
  if (start?.kind !== 'user') return undefined
  const rest = entries.slice(at + 1)
  if (rest.some((entry) => entry.kind === 'said')) return undefined
  return { prompt: start.text, done: rest.filter((entry) => entry.kind === 'result').length }
}

/** Answer to a request that belongs to no turn: what its schema demands, else a word. */
export const asideText = (schema: ModelRequest['schema']): string => {
  const required = schema?.['required']
  if (!Array.isArray(required)) return 'Aside.'
  return JSON.stringify(Object.fromEntries(required.map((key) => [String(key), 'Aside'])))
}

export const words = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? [text]
