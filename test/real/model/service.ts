/** What the model services have in common for the server: an error's shape and an answer's form. */
import type { ServerResponse } from 'node:http'
import type { BreakCode, ModelRequest, Step, ToolInput } from './script.ts'

export interface Answer {
  /** Makes the ids of this answer; unique within a server. */
  readonly id: string
  readonly text: string
  /** The last word waits for it. */
  readonly until?: Promise<unknown>
  /** The connection is dropped after the text. */
  readonly cut: boolean
  /** After the text the service gives up, and says why. */
  readonly breaks?: BreakCode
  readonly call?: Pick<Extract<Step, { do: 'call' }>, 'tool' | 'namespace'> & { readonly input: ToolInput }
}

export interface Service {
  error(status: number, message: string): object
  answer(response: ServerResponse, request: ModelRequest, answer: Answer): Promise<void>
}
