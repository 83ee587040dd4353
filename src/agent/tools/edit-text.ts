/** Exact replacement in a text; what is missing or ambiguous is refused with its number. Pure. */
import { ToolFailure } from './failure.ts'

export interface Replacement {
  readonly oldText: string
  readonly newText: string
  readonly all: boolean
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1

const crlf = (part: string): string => part.replaceAll(/\r?\n/gu, '\r\n')

/** In a file with CRLF, an old text that is written with LF alone means the same lines. */
const inFileEnds = (text: string, { oldText, newText, all }: Replacement): Replacement => {
  return text.includes('\r\n') && !text.includes(oldText)
    ? { oldText: crlf(oldText), newText: crlf(newText), all }
    : { oldText, newText, all }
}

export const replaceText = (
  text: string,
  asked: Replacement,
): { readonly text: string; readonly count: number } => {
  if (asked.oldText === '') throw new ToolFailure('old_text is empty. Give the text to replace.')
  if (asked.oldText === asked.newText)
    throw new ToolFailure('old_text and new_text are the same. Nothing was changed.')
  const { oldText, newText, all } = inFileEnds(text, asked)
  const count = occurrences(text, oldText)
  if (count === 0)
    throw new ToolFailure(
      'old_text does not occur in the file. It must match exactly, with spaces and line ends, and without line numbers. Read the file again and correct it.',
    )
  if (count > 1 && !all)
    throw new ToolFailure(
      `old_text occurs ${count} times. Add lines around it until it is unique, or set replace_all. Nothing was changed.`,
    )
  // Joined, not replaced by pattern: `$&` in the new text is text.
  return { text: text.split(oldText).join(newText), count }
}
