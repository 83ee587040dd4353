/** One turn of a dsh log on its way to a run: what it was asked, says and spends. */
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import { runId } from '../../contract/ids.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Usage } from '../../contract/result.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../output.ts'
import type { Output } from '../output.ts'
import { readUser, streamedText } from './dsh-messages.ts'
import type { DshEvent } from './dsh-records.ts'

/** What the turn that begins at `seq` was asked: the words of others before its first answer. */
export const promptAfter = (events: readonly DshEvent[], seq: number): readonly ContentBlock[] => {
  const prompt: ContentBlock[] = []
  for (let index = seq + 1; index < events.length; index += 1) {
    const event = events[index]
    if (event === undefined || event.type === 'assistant/message' || event.type === 'turn/end') break
    if (event.type !== 'user/message') continue
    const { isPrompt, content } = readUser(event)
    if (isPrompt) prompt.push(...content)
  }
  return prompt
}

export class OpenTurn {
  readonly run: RunId
  readonly #startedAt: number
  #output: Output = NO_OUTPUT
  #usage: Usage | undefined
  /** Of an answer that is no message yet. */
  #streamed = ''
  /** The model has said something, so that more words steer it. */
  answered = false

  /** The same turn is the same run, whoever shares it. */
  constructor(owner: string, number: number, startedAt: number) {
    this.run = runId(`run_${owner}_${number}`)
    this.#startedAt = startedAt
  }

  hear(update: SessionUpdate): void {
    this.#output = advanceOutput(this.#output, update)
  }

  stream(chunk: DshEvent): void {
    this.#streamed += streamedText(chunk)
  }

  /** Text that was streamed and never became a message; asked for once. */
  takeStreamed(): string {
    const text = this.#streamed
    this.#streamed = ''
    return text.trim() === '' ? '' : text
  }

  spend(spent: Usage | undefined): void {
    if (spent === undefined) return
    const { inputTokens = 0, outputTokens = 0 } = this.#usage ?? {}
    this.#usage = {
      inputTokens: inputTokens + spent.inputTokens,
      outputTokens: outputTokens + spent.outputTokens,
    }
  }

  factsAt(time: number): {
    readonly text: string
    readonly usage: Usage | undefined
    readonly durationMs: number
  } {
    return { text: outputText(this.#output), usage: this.#usage, durationMs: time - this.#startedAt }
  }
}
