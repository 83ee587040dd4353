/**
 * Dependencies get a zod of their own. A bundler leaves out what nobody uses of a file only if it is nobody at all: with
 * one zod for all, each start would load what only the SDK, which a start doesn't load, asks of it.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

const NAMESPACE = 'zod of dependencies'
const PACKAGE = /[\\/]node_modules[\\/]/u

export const zodOfDependencies: Plugin = {
  name: NAMESPACE,
  setup: (build) => {
    build.onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === NAMESPACE || !PACKAGE.test(importer)) return undefined
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: NAMESPACE })
      return { ...found, namespace: NAMESPACE }
    })
    build.onResolve({ filter: /^\./, namespace: NAMESPACE }, ({ path, importer }) => ({
      path: join(dirname(importer), path),
      namespace: NAMESPACE,
      sideEffects: false,
    }))
    build.onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path }) => ({
      contents: await readFile(path, 'utf8'),
      resolveDir: dirname(path),
    }))
  },
}
