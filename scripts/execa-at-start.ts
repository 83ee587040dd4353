/**
 * What execa does at each start and no start of ours needs: it makes `process.stdin` a stream (5 ms), and prepares the
 * symbols and colours of its `verbose` mode (2 ms), which is never on here. Anything but a stream that says it is
 * number 0, 1 or 2 can't be a standard stream, so that those are looked at only for one that does.
 */
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

type Change = readonly [before: string, after: string]

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  'utils/standard-stream.js': [
    [
      '[process.stdin, process.stdout, process.stderr]',
      "Object.defineProperties([], Object.fromEntries(['stdin', 'stdout', 'stderr'].map((name, index) => [index, { get: () => process[name], enumerable: true }])))",
    ],
    [
      'stream => STANDARD_STREAMS.includes(stream)',
      'stream => stream?.fd <= 2 && STANDARD_STREAMS.includes(stream)',
    ],
  ],
  'stdio/direction.js': [['[0, process.stdin]', '[0, ...(value?.fd === 0 ? [process.stdin] : [])]']],
}

const PLAIN: Readonly<Record<string, string>> = {
  figures: "export default { tick: '√', warning: '‼', cross: '×' }",
  yoctocolors:
    'const plain = (text) => text; export { plain as bold, plain as gray, plain as redBright, plain as yellowBright }',
}

/** Fails when execa has become another. */
const changed = (text: string, changes: readonly Change[]): string =>
  changes.reduce((now, [before, after]) => {
    if (!now.includes(before)) throw new Error(`execa has changed: there is no ${before} any more.`)
    return now.replace(before, after)
  }, text)

const EXECA = /[\\/]execa[\\/]/u

export const execaAtStart: Plugin = {
  name: 'execa at start',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]execa[\\/]lib[\\/]\w+[\\/][\w-]+\.js$/ }, async ({ path }) => {
      const file = Object.keys(CHANGES).find((name) =>
        path.replaceAll('\\', '/').endsWith(`/execa/lib/${name}`),
      )
      return file === undefined
        ? undefined
        : { contents: changed(await readFile(path, 'utf8'), CHANGES[file] ?? []) }
    })
    build.onResolve({ filter: /^(?:figures|yoctocolors)$/ }, ({ path, importer }) =>
      EXECA.test(importer) ? { path, namespace: 'plain' } : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'plain' }, ({ path }) => ({ contents: PLAIN[path] ?? '' }))
  },
}
