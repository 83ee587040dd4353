/** Foreign text made fit for one line of a message: short, with control characters shown as escapes. */

// Controls, line separators, and the marks that turn the direction of text.
const HIDDEN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** At most `limit` characters, an ellipsis included; no character and no escape is cut in two. */
export const visible = (text: string, limit = 200): string => {
  let shown = ''
  let fits = 0
  for (const character of text) {
    const next = HIDDEN.test(character) ? escapeOf(character) : character
    if (shown.length + next.length > limit) return `${shown.slice(0, fits)}…`
    shown += next
    if (shown.length < limit) fits = shown.length
  }
  return shown
}

const escapeOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
