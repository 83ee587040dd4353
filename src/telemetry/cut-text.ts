/** Cuts what an attribute holds, on a character border. Pure. */

const MOST = 65_536

export const cutText = (text: string, most: number = MOST): string => {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
