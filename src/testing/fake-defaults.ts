/** How the fake serves what its script says nothing about: a small, well-behaved ACP agent. */
import type { FakeConnection, Incoming } from './fake-connection.ts'

const METHOD_NOT_FOUND = -32601
const REQUEST_CANCELLED = -32800

interface Params {
  readonly sessionId?: string
  readonly requestId?: unknown
}

export class FakeDefaults {
  readonly #connection: FakeConnection
  #sessions = 0

  constructor(connection: FakeConnection) {
    this.#connection = connection
  }

  serve(message: Incoming): void {
    const connection = this.#connection
    const { sessionId = connection.sessionId, requestId } = (message.params ?? {}) as Params
    const result = (value: unknown): void => connection.settle(message, { result: value })
    switch (message.method) {
      case 'initialize':
        return result({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] })
      case 'session/new':
        this.#sessions += 1
        return result({ sessionId: `s${this.#sessions}` })
      case 'authenticate':
      case 'session/load':
      case 'session/resume':
      case 'session/close':
        return result({})
      case 'session/prompt':
        connection.update(sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: 'ok' },
        })
        return result({ stopReason: 'end_turn' })
      case 'session/cancel':
        for (const request of connection.open)
          if (request.method === 'session/prompt' && (request.params as Params).sessionId === sessionId)
            connection.settle(request, { result: { stopReason: 'cancelled' } })
        return
      case '$/cancel_request': {
        const error = { code: REQUEST_CANCELLED, message: 'Request cancelled' }
        for (const request of connection.open)
          if (request.id === requestId) connection.settle(request, { error })
        return
      }
      default: {
        const error = { code: METHOD_NOT_FOUND, message: `"${message.method}" is not a method of the fake` }
        return connection.settle(message, { error })
      }
    }
  }
}
