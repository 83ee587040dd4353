/** One call of a model as a sequence that either ends with its `finish` or throws: packages tell failures in four ways. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { STREAM_CUT } from './failure.ts'

/** Never an error; the last is `finish`, for one of the reasons that end an answer. */
export type AnswerPart = Exclude<LanguageModelV4StreamPart, { type: 'error' }>

/** What it throws is for `modelFault`. Leaving it early ends the request. */
export const streamParts = async function* (
  language: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<AnswerPart, void, undefined> {
  const { stream } = await language.doStream(options)
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type !== 'finish') {
      yield part
      continue
    }
    const { unified } = part.finishReason
    if (unified === 'interrupted' || unified === 'error') throw STREAM_CUT
    yield part
    return
  }
  options.abortSignal?.throwIfAborted()
  throw STREAM_CUT
}
