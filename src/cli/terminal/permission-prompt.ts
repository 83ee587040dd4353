/** Asks the person at the terminal whether an agent may do something, one question after another. */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PermissionOption, PermissionOutcome } from '../../contract/content.ts'
import { keyOf, questionLines } from './permission-summary.ts'
import type { Question } from './permission-summary.ts'

export interface PromptOutput {
  readonly columns?: number
  write(chunk: string): unknown
}

export interface PermissionPromptOptions {
  /** A terminal in line mode. It is read only while a question is open. */
  readonly input: Readable
  readonly output: PromptOutput
}

/** What was typed before a question stood on the screen isn't meant for it. */
const TYPED_AHEAD_MS = 30
const CANCELLED: PermissionOutcome = { outcome: 'cancelled' }

export class PermissionPrompt {
  readonly #input: Readable
  readonly #output: PromptOutput
  #last: Promise<unknown> = Promise.resolve()
  #ended = false
  #reader: ((reply: Reply) => void) | undefined
  #partial = ''

  constructor({ input, output }: PermissionPromptOptions) {
    this.#input = input
    this.#output = output
    input.setEncoding('utf8')
    input.on('data', (piece: string) => this.#take(piece))
    input.once('end', () => this.#end())
    input.once('error', () => this.#end())
    input.pause()
  }

  /** Waits for its turn. An abort, as on Ctrl-C, withdraws the question; with nobody to answer it is rejected. */
  ask(question: Question, signal?: AbortSignal): Promise<PermissionOutcome> {
    const answer = this.#last.then(() => this.#ask(question, signal))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  async #ask(question: Question, signal: AbortSignal | undefined): Promise<PermissionOutcome> {
    if (signal?.aborted === true) return CANCELLED
    if (this.#ended) return rejection(question.options)
    const withdraw = (): void => this.#answer({ is: 'withdrawn' })
    signal?.addEventListener('abort', withdraw)
    this.#input.resume()
    try {
      await sleep(TYPED_AHEAD_MS)
      this.#partial = ''
      const lines = questionLines(question, this.#output.columns || 80)
      this.#output.write(`${lines.join('\n')}\n`)
      return await this.#choose(question.options, signal)
    } finally {
      this.#reader = undefined
      this.#input.pause()
      signal?.removeEventListener('abort', withdraw)
    }
  }

  async #choose(
    options: readonly PermissionOption[],
    signal: AbortSignal | undefined,
  ): Promise<PermissionOutcome> {
    for (;;) {
      this.#output.write(`Your answer (${wanted(options)}): `)
      const reply = await this.#reply(signal)
      switch (reply.is) {
        case 'withdrawn':
          this.#output.write('\nThe question was withdrawn.\n')
          return CANCELLED
        case 'end':
          this.#output.write('\n')
          return rejection(options)
        case 'line': {
          const chosen = choice(reply.text, options)
          if (chosen !== undefined) return { outcome: 'selected', optionId: chosen.optionId }
        }
      }
    }
  }

  #reply(signal: AbortSignal | undefined): Promise<Reply> {
    return new Promise((resolve) => {
      this.#reader = resolve
      if (signal?.aborted === true) this.#answer({ is: 'withdrawn' })
      if (this.#ended) this.#answer({ is: 'end' })
    })
  }

  #take(piece: string): void {
    this.#partial += piece
    const end = this.#partial.search(/[\r\n]/v)
    if (end === -1) return
    const text = this.#partial.slice(0, end)
    // What follows was typed before the next question could be read.
    this.#partial = ''
    this.#answer({ is: 'line', text })
  }

  #end(): void {
    this.#ended = true
    this.#answer({ is: 'end' })
  }

  #answer(reply: Reply): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.(reply)
  }
}

type Reply = { readonly is: 'line'; readonly text: string } | { readonly is: 'end' | 'withdrawn' }

const wanted = (options: readonly PermissionOption[]): string => {
  const keys = options.flatMap((option) => keyOf(option, options) ?? [])
  return [options.length > 1 ? `1-${options.length}` : '1', ...keys].join(', ')
}

const choice = (line: string, options: readonly PermissionOption[]): PermissionOption | undefined => {
  const word = line.trim().toLowerCase()
  const key = { yes: 'y', always: 'a', no: 'n' }[word] ?? word
  return /^[1-9]\d*$/v.test(word)
    ? options[Number(word) - 1]
    : options.find((option) => keyOf(option, options) === key)
}

const rejection = (options: readonly PermissionOption[]): PermissionOutcome => {
  const option =
    options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always')
  return option === undefined ? CANCELLED : { outcome: 'selected', optionId: option.optionId }
}
