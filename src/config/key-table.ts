/** The table of configuration keys in `docs/configuration.md`, made from the key table. */
import { CONFIG_KEYS } from './keys.ts'
import type { ConfigKey } from './keys.ts'

const PROJECT: { readonly [May in ConfigKey['project']]: string } = {
  choose: 'yes',
  narrow: 'narrower only',
  trust: 'no',
}

/** Narrow to wide, or what else the system file does to lower layers. */
const held = ({ width, frees }: ConfigKey): string =>
  frees !== undefined
    ? `left out once it sets \`${frees}\``
    : width !== undefined
      ? 'narrower counts'
      : 'wins'

export const configKeyTable = (): string =>
  [
    '| key | takes | default | what it is | before trust, in a project | under the system file |',
    '| --- | --- | --- | --- | --- | --- |',
    ...CONFIG_KEYS.map(
      (row) =>
        `| \`${row.key}\` | ${row.takes} | ${row.initial === undefined ? '' : JSON.stringify(row.initial)} ` +
        `| ${row.says} | ${PROJECT[row.project]} | ${held(row)} |`,
    ),
    '',
  ].join('\n')
