/** Standard input and output as the protocol's alone: whoever else writes to stdout writes to stderr (C02). */
import { Readable } from 'node:stream'
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { Outlet } from './outlet.ts'
import type { Write } from './outlet.ts'
import { editorStream } from './stream.ts'

export interface Stdio {
  readonly stream: acp.Stream
  /** Resolves when the editor takes nothing any more. */
  readonly gone: Promise<void>
  /** Resolves when the editor's end has taken everything, or is gone. */
  flushed(): Promise<void>
}

/** Call before any foreign code is loaded; from then on `console.log` and `process.stdout.write` go to stderr. */
export const takeStdio = (stdin: NodeJS.ReadStream): Stdio => {
  const { stdout, stderr } = process
  const outlet = new Outlet(stdout.write.bind(stdout) as Write)
  stdout.write = stderr.write.bind(stderr)
  // A reader that went away is told by the write that fails.
  stdout.on('error', () => {})
  const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>
  return { stream: editorStream(outlet, input), gone: outlet.gone, flushed: () => outlet.flushed() }
}
