/** The SDK's messages as lines to the editor; one message may stand for several updates of a session. */
import { Buffer } from 'node:buffer'
import * as acp from '@agentclientprotocol/sdk/unstable'
import type { Outlet } from './outlet.ts'
import type { Notification } from './updates.ts'

/** In the place of a notification's params: what the SDK does for a message is done once for all of these. */
export class Updates {
  readonly sessionId: string
  readonly said: readonly Notification[]

  constructor(sessionId: string, said: readonly Notification[]) {
    this.sessionId = sessionId
    this.said = said
  }
}

type Way = Pick<Outlet, 'say' | 'flushed'>

/** As much is made into bytes at once. */
const PIECE_CHARACTERS = 16 * 1024

const line = (message: object): string => `${JSON.stringify(message)}\n`

const linesOf = function* (message: acp.AnyMessage): Generator<string> {
  const params = 'params' in message ? message.params : undefined
  if (!(params instanceof Updates)) return yield line(message)
  const { sessionId, said } = params
  for (const each of said) yield line({ ...message, params: { sessionId, ...each } })
}

const write = async (message: acp.AnyMessage, way: Way): Promise<void> => {
  let text = ''
  for (const each of linesOf(message)) {
    text += each
    if (text.length < PIECE_CHARACTERS) continue
    await way.say(Buffer.from(text))
    text = ''
  }
  if (text !== '') await way.say(Buffer.from(text))
}

export const editorStream = (way: Way, input: ReadableStream<Uint8Array>): acp.Stream => {
  // What it says itself, of lines that are no messages.
  const answers = new WritableStream<Uint8Array>({ write: (chunk) => way.say(chunk) })
  const { readable } = acp.ndJsonStream(answers, input)
  const writable = new WritableStream<acp.AnyMessage>({
    write: (message) => write(message, way),
    close: () => way.flushed(),
  })
  return { readable, writable }
}
