/** Makes foreign text safe for a terminal: control, format and line-separating characters become escapes. */

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
