/**
 * A model that needs no service and no key: it plays the script in the prompt, or says what it saw (docs/rehearsal.md).
 *
 * What it answers follows from the request alone; only how often a step has failed is remembered, in the instance.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { EFFORT_LEVELS, effortOptions } from './effort.ts'
import type { EffortRule } from './effort.ts'
import type { AgentModel } from './model.ts'
import { isScript, parseScript } from './rehearsal-script.ts'
import type { Act, Step } from './rehearsal-script.ts'
import { promptTokens, resultText, tokens, viewOf, whatItSaw } from './rehearsal-view.ts'
import type { RehearsalView } from './rehearsal-view.ts'

const NAME = 'rehearsal'

/** Shaped like the packages' errors, so that it is read as one. */
const httpFailure = ({ status, message, afterSeconds }: Extract<Act, { act: 'fail' }>): Error =>
  Object.assign(new Error(message === '' ? `rehearsed failure ${status}` : message), {
    name: 'RehearsedFailure',
    statusCode: status,
    responseHeaders: afterSeconds === undefined ? {} : { 'retry-after': String(afterSeconds) },
  })

/** The first step whose calls haven't been made; past the last one the results are the answer. */
const stepAt = (steps: readonly Step[], { called, results }: RehearsalView): Step => {
  let made = 0
  for (const step of steps) {
    if (made >= called) return step
    made += step.calls.length
  }
  return { acts: [{ act: 'say', text: results.map(resultText).join('\n') }], calls: [] }
}

/** Plays one step into stream parts; `limit` is the most tokens it may say. */
class Answer {
  readonly parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  finish: LanguageModelV4FinishReason['unified'] | undefined
  hangs = false
  readonly #limit: number
  #said = 0
  #thought = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  play({ acts, calls }: Step, view: RehearsalView): void {
    for (const act of acts) this.#act(act)
    if (this.finish !== undefined || this.hangs) return
    for (const [index, { tool, input }] of calls.entries()) {
      const toolCallId = `call_${view.calledEver + index + 1}`
      this.#said += input.length
      this.parts.push(
        { type: 'tool-input-start', id: toolCallId, toolName: tool },
        { type: 'tool-input-delta', id: toolCallId, delta: input },
        { type: 'tool-input-end', id: toolCallId },
        { type: 'tool-call', toolCallId, toolName: tool, input },
      )
    }
    this.finish = calls.length > 0 ? 'tool-calls' : 'stop'
  }

  end(inputTokens: number): void {
    const text = tokens(this.#said)
    const reasoning = tokens(this.#thought)
    this.parts.push({
      type: 'finish',
      finishReason: { unified: this.finish ?? 'other', raw: undefined },
      usage: {
        inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: text + reasoning, text, reasoning },
      },
    })
  }

  #act(act: Act): void {
    if (this.finish !== undefined) return
    switch (act.act) {
      case 'say':
        this.#stream('text', act.text)
        break
      case 'think':
        this.#stream('reasoning', act.text)
        break
      case 'hang':
        this.hangs = true
        break
      case 'length':
      case 'refuse':
        this.finish = act.act === 'length' ? 'length' : 'content-filter'
        break
      case 'fail':
        break // Thrown before anything is said.
    }
  }

  /** Word by word. */
  #stream(kind: 'text' | 'reasoning', text: string): void {
    const id = String(this.parts.length)
    this.parts.push({ type: `${kind}-start`, id })
    for (const delta of text.match(/\s*\S+|\s+$/gu) ?? []) {
      if (tokens(this.#said + this.#thought + delta.length) > this.#limit) {
        this.finish = 'length'
        break
      }
      if (kind === 'text') this.#said += delta.length
      else this.#thought += delta.length
      this.parts.push({ type: `${kind}-delta`, id, delta })
    }
    this.parts.push({ type: `${kind}-end`, id })
  }
}

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal?.reason as Error)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

const stepOf = (options: LanguageModelV4CallOptions, view: RehearsalView): Step =>
  isScript(view.prompt)
    ? stepAt(parseScript(view.prompt), view)
    : { acts: [{ act: 'say', text: whatItSaw(options, view) }], calls: [] }

class Rehearsal implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = NAME
  readonly modelId = NAME
  readonly supportedUrls = {}
  readonly #failures = new Map<string, number>()

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const answer = this.#answer(options)
    const { abortSignal } = options
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        for (const part of answer.parts) controller.enqueue(part)
        if (!answer.hangs) controller.close()
      },
      pull: () => (answer.hangs ? untilAborted(abortSignal) : undefined),
    })
    return { stream }
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const answer = this.#answer(options)
    if (answer.hangs) return untilAborted(options.abortSignal)
    const content: LanguageModelV4Content[] = []
    for (const part of answer.parts) {
      const last = content.at(-1)
      if (part.type === 'text-start') content.push({ type: 'text', text: '' })
      else if (part.type === 'reasoning-start') content.push({ type: 'reasoning', text: '' })
      else if (part.type === 'tool-call') content.push(part)
      else if ((part.type === 'text-delta' || part.type === 'reasoning-delta') && last !== undefined)
        if (last.type === 'text' || last.type === 'reasoning') last.text += part.delta
      if (part.type === 'finish')
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
    }
    throw new Error('an answer that does not hang has a finish')
  }

  #answer(options: LanguageModelV4CallOptions): Answer {
    options.abortSignal?.throwIfAborted()
    const view = viewOf(options.prompt)
    const step = stepOf(options, view)
    this.#failAsOften(step, view, options.prompt.length)
    const answer = new Answer(options.maxOutputTokens ?? Infinity)
    answer.play(step, view)
    if (!answer.hangs) answer.end(promptTokens(options.prompt))
    return answer
  }

  /** Failures of a step come before its answer, in their order. */
  #failAsOften({ acts }: Step, { prompt, called }: RehearsalView, length: number): void {
    const fails = acts.filter((act) => act.act === 'fail')
    if (fails.length === 0) return
    const key = `${length} ${called} ${prompt}`
    const before = this.#failures.get(key) ?? 0
    let from = 0
    for (const fail of fails) {
      from += fail.times ?? Infinity
      if (before >= from) continue
      this.#failures.set(key, before + 1)
      throw httpFailure(fail)
    }
    this.#failures.delete(key)
  }
}

const ANY_LEVEL: EffortRule = { models: /^/u, levels: EFFORT_LEVELS, options: (effort) => ({ effort }) }

/** Failures are counted in the instance: one for each session keeps siblings apart. */
export const rehearsalModel = (): AgentModel => ({
  ref: NAME,
  language: new Rehearsal(),
  content: { images: true, audio: true, resources: true },
  effort: true,
  effortOptions: (effort) => ({ [NAME]: effortOptions(NAME, ANY_LEVEL, effort) }),
})
