/**
 * Makes scripts of the executable's files, which are modules: V8 can keep the code of a script's functions after they
 * have run, and that of a module's only before. `src/launch` loads them.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { init, parse } from 'es-module-lexer'
import { build, transform } from 'esbuild'
import type { BuildOptions } from 'esbuild'
import { asBody } from '../src/launch/bundle.ts'
import { nodeModules } from './node-modules.ts'

/** Last in the program's own file: a script can't wait, and nobody waits for it. */
const LAST_WAIT = /\bawait (?<call>[\w$]+\(\));?\s*$/u

/** What is loaded when it is needed: a file of the bundle by `require`, all else by an `import` of the launcher's own. */
const withoutImports = (text: string, files: ReadonlySet<string>): string => {
  let [written, from] = ['', 0]
  for (const { ss: start, se: end, d: isDynamic, n: path } of parse(text)[0]) {
    if (isDynamic < 0) continue
    const own = path?.startsWith('./') === true
    if (own && !files.has(path.slice('./'.length)))
      throw new Error(`${path} is loaded, and is no file of the bundle.`)
    const loaded = own
      ? `Promise.resolve().then(() => require(${JSON.stringify(path)}))`
      : text.slice(start, end).replace(/^import/u, 'load')
    written += text.slice(from, start) + loaded
    from = end
  }
  return written + text.slice(from)
}

const scriptOf = async (text: string, files: ReadonlySet<string>, options: BuildOptions): Promise<string> => {
  const lazily = withoutImports(text, files)
  const { minifySyntax = false, minifyWhitespace = false, minifyIdentifiers = false } = options
  const { code } = await transform(lazily.replace(LAST_WAIT, '$<call>'), {
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    minifySyntax,
    minifyWhitespace,
    minifyIdentifiers,
    define: { 'import.meta': 'meta' },
  })
  return asBody(code)
}

/** `launcher` is the source of what loads them. */
export const asScripts = async (folder: string, launcher: string, options: BuildOptions): Promise<void> => {
  await init
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const files = new Set(names)
  const hash = createHash('sha256')
  for (const name of names.toSorted()) {
    const path = join(folder, name)
    const script = await scriptOf(readFileSync(path, 'utf8'), files, options)
    writeFileSync(path, script)
    hash.update(`${name} ${script.length}\n${script}`)
  }
  await build({
    ...options,
    splitting: false,
    format: 'cjs',
    plugins: [nodeModules],
    entryPoints: [launcher],
    outfile: join(folder, 'launch.cjs'),
    define: { BUILD: JSON.stringify(hash.digest('hex').slice(0, 16)) },
  })
}
