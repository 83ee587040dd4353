/** A peer whose other side is the test: what it wrote, was told and complained about. */
import { expect } from 'vitest'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { Diagnostic } from '../../../src/wire/diagnostic.ts'
import { JsonRpcPeer } from '../../../src/wire/peer.ts'
import type { PeerOptions } from '../../../src/wire/peer.ts'

export interface Connected {
  readonly peer: JsonRpcPeer
  readonly sent: unknown[]
  readonly notified: unknown[]
  readonly diagnostics: Diagnostic[]
  readonly receive: (...lines: readonly (string | object)[]) => void
}

export const connect = (options: Partial<PeerOptions> = {}): Connected => {
  const sent: unknown[] = []
  const notified: unknown[] = []
  const diagnostics: Diagnostic[] = []
  const peer = new JsonRpcPeer({
    write: (line) => {
      expect(line.indexOf('\n')).toBe(line.length - 1)
      sent.push(JSON.parse(line))
    },
    request: () => ({}),
    notification: (method, params) => notified.push([method, params]),
    diagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  const receive = (...lines: readonly (string | object)[]): void =>
    peer.receive(
      Buffer.from(
        lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
      ),
    )
  return { peer, sent, notified, diagnostics, receive }
}

export const answer = (id: unknown, result: unknown = {}): object => ({ jsonrpc: '2.0', id, result })
export const closed: SubagentError = new SubagentError('AGENT_EXITED', 'prompt', 'gone', {
  command: 'x',
  cwd: '/',
})
export const settled = (): Promise<void> => new Promise<void>((resolve) => setImmediate(resolve))
