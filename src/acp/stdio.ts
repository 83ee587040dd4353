/** Standard input and output as the protocol's alone: whoever else writes to stdout writes to stderr (C02). */
import { Readable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'

type Write = (chunk: Uint8Array, done: (error?: Error | null) => void) => boolean

/** Each message is taken by the editor's end of the pipe before the next: back-pressure that reaches the agent. */
const sink = (write: Write): WritableStream<Uint8Array> =>
  new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        write(chunk, (error) => (error ? reject(error) : resolve()))
      }),
  })

/** Call before any foreign code is loaded; from then on `console.log` and `process.stdout.write` go to stderr. */
export const takeStdio = (stdin: NodeJS.ReadStream): acp.Stream => {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout) as Write
  stdout.write = stderr.write.bind(stderr)
  // A reader that went away is told by the write that fails.
  stdout.on('error', () => {})
  return acp.ndJsonStream(sink(write), Readable.toWeb(stdin) as ReadableStream<Uint8Array>)
}
