/** Makes foreign text harmless for a terminal: no escape sequences, no control or direction characters. */

const ESC = '\u001B'
/** Longer "sequences" are text behind a stray introducer: only the introducer goes then. */
const LONGEST = 4096

const CSI = `(?:${ESC}\\[|\u009B)[0-?]*[ -\\/]*[@-~]`
/** Operating system commands, device control and the like: up to BEL or ST. */
const STRING = `(?:${ESC}[\\]PX\\^_]|[\u0090\u0098\u009D-\u009F])[^\u0007${ESC}\u009C]{0,${LONGEST}}(?:\u0007|${ESC}\\\\|\u009C)`
const SHORT = `${ESC}[ -\\/]*[0-~]`
const SEQUENCE = new RegExp(`${STRING}|${CSI}|${SHORT}`, 'gv')

/** As above, but an introducer by itself is no sequence yet. */
const COMPLETE = new RegExp(`${STRING}|${CSI}|${ESC}(?![\\[\\]PX\\^_])[ -\\/]*[0-~]`, 'gv')

/** A sequence that the end of the text cuts off; it may go on in the next chunk. */
const OPEN = new RegExp(
  `(?:\\r|${ESC}[ -\\/]{0,8}|(?:${ESC}\\[|\u009B)[0-?]{0,64}[ -\\/]{0,8}|(?:${ESC}[\\]PX\\^_]|[\u0090\u0098\u009D-\u009F])[^\u0007${ESC}\u009C]{0,${LONGEST}}${ESC}?)$`,
  'v',
)

/** Overrides that make text read in another order than it stands. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gv
const SUSPECT = /[[\p{Cc}--[\n\t]]\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/v
const CONTROLS = /[\p{Cc}--[\n\t]]/gv

/** Text of several lines: line ends and tabs stay, everything else that could move the cursor goes. */
export const harmless = (text: string): string =>
  SUSPECT.test(text)
    ? text
        .replaceAll(SEQUENCE, '')
        .replaceAll(/\r\n?/gv, '\n')
        .replaceAll(CONTROLS, '')
        .replaceAll(DIRECTIONS, '')
    : text

/** One line, as for a title: white space of all kinds becomes one space. */
export const plain = (text: string): string => harmless(text).replaceAll(/\s+/gv, ' ').trim()

export interface Harmless {
  readonly text: string
  /** To be put before the next chunk. */
  readonly carry: string
}

/** `harmless` for text that comes in chunks: what may be half a sequence waits for its other half. */
export const harmlessChunk = (carry: string, chunk: string): Harmless => {
  const whole = carry + chunk
  if (!SUSPECT.test(whole)) return { text: whole, carry: '' }
  const start = OPEN.exec(whole.replaceAll(COMPLETE, (found) => '\u0000'.repeat(found.length)))?.index
  return start === undefined
    ? { text: harmless(whole), carry: '' }
    : { text: harmless(whole.slice(0, start)), carry: whole.slice(start) }
}
