/** What the agents of one delegation say, as one text of bounded length that tells who speaks. Pure. */

/** So much of the end is kept; what came before is in the agents' own logs. */
export const KEPT_CHARACTERS: number = 32 * 1024

export interface LiveText {
  readonly text: string
  /** The last that spoke; empty: the delegation's own agent. */
  readonly speaker: string
  readonly cut: boolean
}

export const NO_TEXT: LiveText = { text: '', speaker: '', cut: false }

const bounded = (live: LiveText): LiveText => {
  // Cut once in a while, so that each addition costs only what is added.
  if (live.text.length <= 2 * KEPT_CHARACTERS) return live
  return { ...live, text: live.text.slice(-KEPT_CHARACTERS), cut: true }
}

const endsLine = (text: string): boolean => text === '' || text.endsWith('\n')

/** One piece of what an agent says; `speaker` is its path below the delegation. */
export const spoken = (live: LiveText, speaker: string, said: string): LiveText => {
  if (said === '') return live
  if (live.speaker === speaker) return bounded({ ...live, text: live.text + said })
  const line = endsLine(live.text) ? '' : '\n'
  const who = speaker === '' ? '' : `[${speaker}] `
  return bounded({ ...live, speaker, text: `${live.text}${line}${who}${said}` })
}

/** A line of its own, such as a tool call's title. */
export const noted = (live: LiveText, speaker: string, line: string): LiveText => {
  const said = spoken(live, speaker, '')
  const begins = said.speaker === speaker && !endsLine(said.text) ? '\n' : ''
  return spoken(said, speaker, `${begins}${line}\n`)
}

/** The last `limit` characters, from the beginning of a word on. */
export const tail = ({ text, cut }: LiveText, limit: number): string => {
  if (text.length <= limit) return cut ? `… ${text}` : text
  const end = text.slice(-limit)
  const word = end.search(/\s/u)
  return `… ${(word < 0 || word > limit / 2 ? end : end.slice(word)).trimStart()}`
}
