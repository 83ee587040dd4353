/** What a stream's terminal can do, decided once from the stream and the environment. */

export interface Style {
  readonly colors: boolean
  readonly unicode: boolean
}

export interface Abilities extends Style {
  /** The cursor can be moved: lines may be redrawn. */
  readonly live: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const UTF8 = /utf-?8/iv

export const abilitiesOf = (stream: { readonly isTTY?: boolean }, env: Environment): Abilities => {
  const terminal = stream.isTTY === true && env['TERM'] !== 'dumb'
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return {
    live: terminal,
    colors: terminal && (env['NO_COLOR'] ?? '') === '',
    // No locale at all, as under cron or in a container, says nothing against it.
    unicode: locale === '' || UTF8.test(locale),
  }
}
