/** `docs/errors.md`, from the catalogue of errors and the table of endings. */
import { ENDINGS, EXIT_DENIED } from '../src/contract/endings.ts'
import { ERROR_CATALOG } from '../src/contract/error-catalog.ts'

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const endings = (): string =>
  table(
    ['what happened', 'status', 'category', 'exit'],
    ENDINGS.map(({ what, status, category, exit }) => [
      what,
      `\`${status}\``,
      category === undefined ? '–' : `\`${category}\``,
      exit,
    ]),
  )

const codes = (): string =>
  Object.entries(ERROR_CATALOG)
    .map(([code, { meaning, action, data, retryable, jsonRpc, exit, category }]) =>
      [
        `### ${code}`,
        '',
        `${meaning} ${action}`,
        '',
        table(
          ['exit', 'JSON-RPC', 'retryable', 'category', 'data'],
          [
            [
              exit,
              jsonRpc,
              retryable ? 'yes' : 'no',
              category === undefined ? '–' : `\`${category}\``,
              data === '' ? '–' : `\`${data}\``,
            ],
          ],
        ),
      ].join('\n'),
    )
    .join('\n\n')

export const errorsPage = (): string => `# Endings and errors

Generated from \`src/contract/endings.ts\` and \`src/contract/error-catalog.ts\` by \`npm run docs\`.

## How a run ends

Only \`completed\` is success. A completed run in which policy denied something exits with ${EXIT_DENIED}, or with 0 under
\`--on-denied continue\`. Partial text is kept in every ending.

${endings()}

A start that is rejected has no status: it exits with the code of its error below. Ctrl-C gives 130, SIGTERM 143, SIGHUP 129.

## Error codes

Every error is one shape: \`{code, message, phase, retryable, data}\`. \`phase\` is one of request, resolve, gate, depth,
capacity, spawn, initialize, session, prompt. On the ACP face it is the \`data\` of a JSON-RPC error.

${codes()}
`
