/**
 * Node's own modules by `getBuiltinModule`, and of each only what is used: an import reads every export of a module, and
 * the lazy ones of `node:process`, `node:util` and `node:fs` load dozens of further modules that nobody asked for.
 */
import { isBuiltin } from 'node:module'
import type { Plugin } from 'esbuild'

const contentsFor = (path: string): string => {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(path)).filter(
    (name) => name !== 'default' && /^[A-Za-z]\w*$/u.test(name),
  )
  return [
    `const own = process.getBuiltinModule(${JSON.stringify(path)})`,
    'const of = (name) => own[name]',
    'export default own',
    // Pure, so that the bundler leaves out the names that nobody imports.
    ...names.map((name) => `const $${name} = /* @__PURE__ */ of('${name}')`),
    `export { ${names.map((name) => `$${name} as ${name}`).join(', ')} }`,
  ].join('\n')
}

export const nodeModules: Plugin = {
  name: "Node's own modules",
  setup: (build) => {
    build.onResolve({ filter: /^(?:node:)?[a-z0-9_/]+$/ }, ({ path, kind }) =>
      isBuiltin(path) && kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: contentsFor(path) }))
  },
}
