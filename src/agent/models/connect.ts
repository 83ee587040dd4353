/** Makes a service's model from its package, which is loaded when the first one is made and not before. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelProvider } from './providers.ts'

export interface Connection {
  readonly baseUrl: string
  /** `''` where the service wants none. */
  readonly key: string
  readonly fetch?: typeof globalThis.fetch
}

const packaged = async (
  { name, wire }: ModelProvider,
  model: string,
  { baseUrl: baseURL, key: apiKey, fetch }: Connection,
): Promise<LanguageModelV4> => {
  const settings = { baseURL, apiKey, ...(fetch !== undefined && { fetch }) }
  switch (wire) {
    case 'messages': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(settings).languageModel(model)
    }
    case 'responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(settings).responses(model)
    }
    case 'generate-content': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle(settings).languageModel(model)
    }
    case 'chat': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...settings, name, includeUsage: true }).languageModel(model)
    }
  }
}

/** The name that the package reads its options under. */
export const optionsKey = ({ name }: ModelProvider): string =>
  name.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase())

export const connect = async (
  provider: ModelProvider,
  model: string,
  connection: Connection,
): Promise<LanguageModelV4> => {
  const language = await packaged(provider, model, connection)
  const { always } = provider
  if (always === undefined) return language
  const key = optionsKey(provider)
  const call = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => ({
    ...options,
    providerOptions: { ...options.providerOptions, [key]: { ...always, ...options.providerOptions?.[key] } },
  })
  return {
    specificationVersion: 'v4',
    provider: language.provider,
    modelId: language.modelId,
    supportedUrls: language.supportedUrls,
    doGenerate: (options) => language.doGenerate(call(options)),
    doStream: (options) => language.doStream(call(options)),
  }
}
