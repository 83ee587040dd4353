/** The model services that the built-in agent knows, as data; a service more is a row more. */
import { EFFORT_LEVELS } from './effort.ts'
import type { EffortRule } from './effort.ts'

/** Kinds of content that a model takes in its prompt beside text. Text resources are text to all of them. */
export interface ContentKinds {
  readonly images: boolean
  readonly audio: boolean
  readonly resources: boolean
}

/** Anthropic Messages, OpenAI Responses, Google generateContent, OpenAI chat completions: one package each. */
export type WireFormat = 'messages' | 'responses' | 'generate-content' | 'chat'

export interface ModelProvider {
  readonly name: string
  readonly wire: WireFormat
  /** Variables that may hold the key; the first that is set counts. */
  readonly keys: readonly string[]
  /** A key is sent when there is one, and isn't missed. */
  readonly keyless?: true
  readonly baseUrls: readonly string[]
  /** Absent: one of `baseUrls` must be set. */
  readonly baseUrl?: string
  /** Models that see, and that hear. */
  readonly sees: RegExp
  readonly hears: RegExp
  readonly effort?: EffortRule
  /** Its usage holds what the answer cost, in US dollars. */
  readonly saysCost?: true
  /** Sent with each request, under the provider's name. */
  readonly always?: { readonly [option: string]: string | boolean | { readonly [key: string]: string } }
}

const ALL = /^/u
const NONE = /$^/u

/** Families of open models whose names say that they see. */
const OPEN_EYES =
  /llava|bakllava|moondream|pixtral|vision|minicpm-v|qwen[\d.]*-?vl|gemma-?[34]|llama-?4|mistral-small-?3|internvl/iu

export const PROVIDERS: readonly ModelProvider[] = [
  {
    name: 'anthropic',
    wire: 'messages',
    keys: ['ANTHROPIC_API_KEY'],
    baseUrls: ['ANTHROPIC_BASE_URL'],
    baseUrl: 'https://api.anthropic.com/v1',
    sees: ALL,
    hears: NONE,
    effort: {
      models: /(?:opus-4-[5-9]|sonnet-4-[6-9]|(?:opus|sonnet|haiku|fable)-(?:[5-9]|[1-9]\d))(?:\D|$)/u,
      levels: ['low', 'medium', 'high', 'xhigh', 'max'],
      options: (effort) => ({ effort }),
    },
    // An agent's requests repeat their beginning: without this each step pays for all that came before it.
    always: { cacheControl: { type: 'ephemeral' } },
  },
  {
    name: 'openai',
    wire: 'responses',
    keys: ['OPENAI_API_KEY'],
    baseUrls: ['OPENAI_BASE_URL'],
    baseUrl: 'https://api.openai.com/v1',
    sees: /^(?!gpt-3|o1-mini|o3-mini)/u,
    hears: NONE,
    effort: {
      models: /^(?:o\d|gpt-[5-9](?!.*chat))/u,
      levels: EFFORT_LEVELS,
      options: (reasoningEffort) => ({ reasoningEffort }),
    },
    // The session's log is the conversation; the service keeps no second one.
    always: { store: false },
  },
  {
    name: 'google',
    wire: 'generate-content',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    baseUrls: ['GOOGLE_GEMINI_BASE_URL'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    sees: ALL,
    hears: /^(?!gemma)/u,
    effort: {
      models: /^(?!gemma)[a-z]+-[3-9]/u,
      levels: ['minimal', 'low', 'medium', 'high'],
      options: (thinkingLevel) => ({ thinkingConfig: { thinkingLevel } }),
    },
  },
  {
    name: 'ollama',
    wire: 'chat',
    keys: ['OLLAMA_API_KEY'],
    keyless: true,
    baseUrls: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'],
    baseUrl: 'http://127.0.0.1:11434/v1',
    sees: OPEN_EYES,
    hears: NONE,
  },
  {
    name: 'deepseek',
    wire: 'chat',
    keys: ['DEEPSEEK_API_KEY'],
    baseUrls: ['DEEPSEEK_BASE_URL'],
    baseUrl: 'https://api.deepseek.com/v1',
    sees: NONE,
    hears: NONE,
    effort: {
      models: /^deepseek-v[4-9]/u,
      levels: ['high', 'max'],
      options: (reasoningEffort) => ({ thinking: { type: 'enabled' }, reasoningEffort }),
    },
  },
  {
    name: 'openrouter',
    wire: 'chat',
    keys: ['OPENROUTER_API_KEY'],
    baseUrls: ['OPENROUTER_BASE_URL'],
    baseUrl: 'https://openrouter.ai/api/v1',
    sees: new RegExp(`^(?:anthropic|openai|google)/|${OPEN_EYES.source}`, 'iu'),
    hears: /^google\/(?!gemma)/u,
    saysCost: true,
    effort: {
      models: ALL,
      levels: ['minimal', 'low', 'medium', 'high', 'xhigh'],
      // Only to services that honour it: a model without is refused there, not answered without.
      options: (effort) => ({ reasoning: { effort }, provider: { require_parameters: true } }),
    },
  },
  {
    name: 'openai-compatible',
    wire: 'chat',
    keys: ['OPENAI_COMPATIBLE_API_KEY'],
    keyless: true,
    baseUrls: ['OPENAI_COMPATIBLE_BASE_URL'],
    sees: OPEN_EYES,
    hears: NONE,
  },
]

export const contentOf = ({ sees, hears, wire }: ModelProvider, model: string): ContentKinds => ({
  images: sees.test(model),
  audio: hears.test(model),
  // Files such as PDF; a chat server is only known to read text.
  resources: wire !== 'chat',
})
