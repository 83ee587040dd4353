/** Server-sent events on one response, ended early when the reader has gone. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { words } from './script.ts'

export interface EventWriter {
  send(type: string, data: Readonly<Record<string, unknown>>): void
  /** Without an event's name, as some services do. */
  piece(data: object): void
  /** Sends each word through `delta`, the last one after `until`; false when the reader went away. */
  words(text: string, until: Promise<unknown> | undefined, delta: (word: string) => void): Promise<boolean>
}

export const openEvents = (response: ServerResponse): EventWriter => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  return {
    send: (type, data) => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    },
    piece: (data) => {
      response.write(`data: ${JSON.stringify(data)}\n\n`)
    },
    words: async (text, until, delta) => {
      const all = words(text)
      for (const word of all.slice(0, -1)) delta(word)
      if (until !== undefined) await Promise.race([until, once(response, 'close')])
      if (response.destroyed) return false
      for (const word of all.slice(-1)) delta(word)
      return true
    },
  }
}
