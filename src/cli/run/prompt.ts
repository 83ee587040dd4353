/** Reads the prompt of a `run`: words, a file, standard input. */
import { readFile } from 'node:fs/promises'
import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { SubagentError } from '../../contract/errors.ts'

/** How long an open pipe may stay silent before it is given up. */
const SILENT_PIPE_MS = 1000

export interface PromptInputs {
  readonly words: readonly string[]
  readonly file?: string
  /** Asked for where there is something to read. */
  readonly stdin: () => Readable
  readonly say: (line: string) => void
}

const usage = (message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field: 'prompt' })

const readAll = async (stdin: Readable): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

/** Whether there can be piped input at all: a file, a pipe or a socket; not a terminal or a device. */
const isPiped = (): boolean => {
  try {
    const stats = fstatSync(0)
    return stats.isFile() || stats.isFIFO() || stats.isSocket()
  } catch {
    // Closed by whoever started us.
    return false
  }
}

/** The first byte must come within the limit; then it is read to its end. */
const readUnlessSilent = async (stdin: Readable): Promise<string | undefined> => {
  const speaks = new Promise<boolean>((resolve) => {
    stdin.once('readable', () => resolve(true))
    stdin.once('end', () => resolve(true))
    stdin.once('error', () => resolve(true))
    setTimeout(() => resolve(false), SILENT_PIPE_MS).unref()
  })
  if (await speaks) return readAll(stdin)
  stdin.destroy()
  return undefined
}

/** `-` waits for standard input; otherwise what is piped is appended to a given prompt, and is the prompt without one. */
export const readPrompt = async ({ words, file, stdin, say }: PromptInputs): Promise<string> => {
  const waits = words.includes('-') || file === '-'
  const parts = [words.filter((word) => word !== '-').join(' ')]
  if (file !== undefined && file !== '-') {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw usage(`The prompt file ${file} can't be read (${error.code}). Name a file that can.`)
    })
    parts.push(text)
  }
  if (waits) {
    parts.push(await readAll(stdin()))
  } else if (isPiped()) {
    const piped = await readUnlessSilent(stdin())
    if (piped === undefined)
      say(
        'Standard input is an open pipe that says nothing; going on without it (close it with < /dev/null).',
      )
    else parts.push(piped)
  }
  const prompt = parts.filter((part) => part.trim() !== '').join('\n\n')
  if (prompt !== '') return prompt
  throw usage('There is no prompt. Type: subgate run <provider> "…", or -f FILE, or pipe it in.')
}
