/** Hides what may be secret in command lines, addresses and foreign JSON (law 14). Pure. */
import { isRecord } from './json.ts'

export const MASK = '***'
export const SECRET_NAME: RegExp = /key|token|secret|passw|credential|auth|bearer|cookie/i

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i
/** Within other words, as in `--url=…` or a shell's script. */
const INLINE_ADDRESS = /(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^\s'"]+/gi
const HEADER_FLAG = /^(?:-H|--?[\w-]*headers?)$/i
const ASSIGNED = /(?<![\w-])([\w-]*(?:key|token|secret|passw|credential|auth|bearer|cookie)[\w-]*)=[^\s'"]+/gi

/** Without user, password and fragment; of the query only the names. */
export const maskUrl = (text: string): string => {
  if (!ADDRESS.test(text) || !URL.canParse(text)) return MASK
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.hash = ''
  const names = [...new Set(url.searchParams.keys())]
  url.search = ''
  const query = names.map((name) => `${encodeURIComponent(name)}=${MASK}`).join('&')
  return query === '' ? url.href : `${url.href}?${query}`
}

const inline = (word: string): string =>
  word.replaceAll(INLINE_ADDRESS, maskUrl).replaceAll(ASSIGNED, (_, name: string) => `${name}=${MASK}`)

/** `Name: value` and `Name=value`; every header's value, as any header may authorize. */
const withoutValue = (word: string, isHeader: boolean): string | undefined => {
  const [, name = '', between = ''] = /^([\w-]+)(\s*[:=]\s*)(?!\/\/)/u.exec(word) ?? []
  if (name === '') return undefined
  if (/^--?[\w-]*headers?$/iu.test(name)) {
    const value = word.slice(name.length + between.length)
    return `${name}${between}${withoutValue(value, true) ?? MASK}`
  }
  return isHeader || SECRET_NAME.test(name) ? `${name}${between}${MASK}` : undefined
}

/** Arguments that look like secrets: what follows, or is joined to, a flag, header or variable named like one. */
export const maskArgs = (args: readonly string[]): string[] =>
  args.map((arg, at) => {
    const before = args[at - 1] ?? ''
    const isHeader = HEADER_FLAG.test(before)
    const masked = withoutValue(arg, isHeader)
    if (masked !== undefined) return masked
    if (isHeader) return MASK
    const isValue = before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before)
    if (isValue && !arg.startsWith('-')) return MASK
    return ADDRESS.test(arg) ? maskUrl(arg) : inline(arg)
  })

/** Every text of foreign JSON through the mask; an error becomes its words. */
export const maskJson = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === 'string') return mask(value)
  if (value instanceof Error) return mask(String(value))
  if (Array.isArray(value)) return value.map((entry) => maskJson(entry, mask))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), maskJson(inner, mask)]))
}
