/** What a scripted provider asks of its person's client, and a client that answers by what it was asked. */
import { join } from 'node:path'
import type {
  Client,
  ClientAnswer,
  ClientMethod,
  ClientOffer,
  PlacedCall,
  SessionClient,
} from '../../src/contract/client.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Turn } from '../../src/contract/provider.ts'
import type { ClientStep } from './loopback-provider.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export interface Asks {
  perform(step: ClientStep, turn: Turn): Promise<void>
  /** Releases what was left, as an agent's client does it for one that can't any more. */
  leave(): Promise<void>
}

export const clientOf = (client: SessionClient | undefined, cwd: string): Asks => {
  const left = new Set<string>()
  const ask = async (method: ClientMethod, params: JsonObject, signal: AbortSignal): Promise<ClientAnswer> =>
    client === undefined
      ? { error: { code: -32601, message: `Method not found: ${method}` } }
      : client.request({ method, params, signal })
  return {
    perform: async (step, turn) => {
      const { signal } = turn
      const said: ClientAnswer[] = []
      if ('read' in step)
        said.push(await ask('fs/read_text_file', { path: join(cwd, step.read), line: 1 }, signal))
      else if ('write' in step)
        said.push(
          await ask('fs/write_text_file', { path: join(cwd, step.write), content: step.content }, signal),
        )
      else if ('form' in step)
        said.push(
          await ask(
            'elicitation/create',
            {
              mode: 'form',
              message: step.form,
              requestedSchema: { type: 'object' },
              _meta: step.meta as JsonObject,
            },
            signal,
          ),
        )
      else if ('page' in step) {
        const page = { mode: 'url', message: 'page', url: 'http://x', elicitationId: step.page }
        said.push(await ask('elicitation/create', page, signal))
        if (step.completes) client?.completeElicitation(step.page)
      } else {
        const env = [{ name: 'A', value: 'b' }]
        const made = await ask('terminal/create', { command: step.terminal, cwd, env }, signal)
        said.push(made)
        if ('result' in made) {
          const terminalId = textOf(made.result['terminalId'])
          said.push(await ask('terminal/output', { terminalId }, signal))
          if (step.left) left.add(terminalId)
          else said.push(await ask('terminal/release', { terminalId }, signal))
        }
      }
      turn.emit({ type: 'session/update', update: { sessionUpdate: '_asked', said } })
    },
    leave: async () => {
      const { signal } = new AbortController()
      await Promise.all([...left].map((terminalId) => ask('terminal/release', { terminalId }, signal)))
    },
  }
}

/** What arrived, as a person would see it: ids of pages are each side's own. */
export interface AskedClient extends Client {
  readonly seen: Seen[]
}

export interface Seen {
  /** The asking session's events up to this one came before it. */
  readonly after?: number
  readonly [field: string]: unknown
}

export const askedClient = (offer: ClientOffer, cwd: string): AskedClient => {
  const seen: Seen[] = []
  let terminals = 0
  const pages: string[] = []
  const answerTo = ({ method, params }: PlacedCall): ClientAnswer => {
    switch (method) {
      case 'fs/read_text_file':
        return textOf(params['path']).endsWith('c.txt')
          ? { error: { code: -32002, message: 'no such buffer', data: { path: 'c' } } }
          : { result: { content: 'unsaved', _meta: { a: [1] } } }
      case 'terminal/create':
        terminals += 1
        return { result: { terminalId: `t-${terminals}` } }
      case 'terminal/output':
        return { result: { output: 'x', truncated: false } }
      case 'elicitation/create':
        return { result: { action: textOf(params['message']).length % 2 === 0 ? 'accept' : 'decline' } }
      default:
        return { result: {} }
    }
  }
  return {
    offer,
    roots: [cwd, '/'],
    seen,
    request: (call) => {
      const { method, params, path, after } = call
      const { elicitationId, ...rest } = params
      const page = typeof elicitationId === 'string' ? { page: pages.push(elicitationId) } : {}
      seen.push({ method, path, params: rest, after, ...page })
      return Promise.resolve(answerTo(call))
    },
    completeElicitation: (_, id) => void seen.push({ completed: pages.includes(id) }),
  }
}
