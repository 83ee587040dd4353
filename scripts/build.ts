/** Builds the package: the library by tsc, the executable as one bundle. What was built before stays until both are done. */
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { BuildOptions, BuildResult, Plugin } from 'esbuild'
import { asScripts } from './as-scripts.ts'
import { execaAtStart } from './execa-at-start.ts'
import { mergeChunks } from './merge-chunks.ts'
import { nodeModules } from './node-modules.ts'
import { zodOfDependencies } from './zod-of-dependencies.ts'

const root = join(import.meta.dirname, '..')
const [fresh, dist, old] = ['dist.new', 'dist', 'dist.old'].map((name) => join(root, name)) as [
  string,
  string,
  string,
]
for (const directory of [fresh, old]) rmSync(directory, { recursive: true, force: true })

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
  cwd: root,
  stdio: 'inherit',
})
if (compiled.status !== 0) {
  rmSync(fresh, { recursive: true, force: true })
  process.exit(compiled.status ?? 1)
}

/** Of the languages of zod's messages, which each start would read, only English is ever used. */
const oneLanguage: Plugin = {
  name: 'one language',
  setup: (own) => {
    own.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions

const bundle = (
  entryPoints: Record<string, string>,
  outdir: string,
): Promise<BuildResult<{ metafile: true }>> =>
  build({
    ...OPTIONS,
    entryPoints,
    outdir,
    metafile: true,
    plugins: [oneLanguage, zodOfDependencies, execaAtStart, nodeModules],
    // What its `main` names is UMD, whose parts a bundler can't find.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  })

const { metafile } = await bundle({ main: 'src/cli/main.ts' }, join(fresh, 'bin'))
await mergeChunks(join(fresh, 'bin'), metafile, {
  entry: 'src/cli/main.ts',
  often: 'src/cli/run/run-command.ts',
  options: OPTIONS,
})
await asScripts(join(fresh, 'bin'), 'src/launch/main.ts', OPTIONS)
// It ships as a bundle, since Node runs no TypeScript below node_modules.
await bundle({ 'example-agent': 'examples/agent/main.ts' }, fresh)

if (existsSync(dist)) renameSync(dist, old)
renameSync(fresh, dist)
rmSync(old, { recursive: true, force: true })
