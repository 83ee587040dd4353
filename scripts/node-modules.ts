/**
 * Node's own modules by `getBuiltinModule`, and of each only what is used: an import reads every export of a module, and
 * the lazy ones of `node:process`, `node:util` and `node:fs` load dozens of further modules that nobody asked for.
 */
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

/** These are costly, and a start that needs one at all needs it late: each function loads its module when it is called. */
const LATE: ReadonlySet<string> = new Set(['node:crypto', 'node:fs/promises', 'node:v8'])
const LIGHT_CRYPTO = join(import.meta.dirname, 'light-crypto.ts')
/** What `light-crypto.ts` has of its own. */
const LIGHT: ReadonlySet<string> = new Set(['randomUUID', 'hash', 'createHmac'])

const isName = (name: string): boolean => name !== 'default' && /^[A-Za-z]\w*$/u.test(name)

/** A class may be what `new` or `instanceof` asks for; only its name tells it from a function. */
const isFunction = (own: object, name: string): boolean =>
  /^[a-z]/u.test(name) && typeof Object.getOwnPropertyDescriptor(own, name)?.value === 'function'

const contentsFor = (path: string, light: boolean): string => {
  const own = process.getBuiltinModule(path) as unknown as object
  const names = Object.getOwnPropertyNames(own).filter(isName)
  const source = JSON.stringify(path)
  const late = LATE.has(path)
  const declared = names
    .filter((name) => !(light && LIGHT.has(name)))
    // Pure, so that the bundler leaves out the names that nobody imports.
    .map((name) =>
      late && isFunction(own, name)
        ? `const $${name} = (...args) => process.getBuiltinModule(${source}).${name}(...args)`
        : `const $${name} = /* @__PURE__ */ of('${name}')`,
    )
  const lent = light ? [...LIGHT].map((name) => `${name} as $${name}`).join(', ') : ''
  return [
    ...(light ? [`import { ${lent} } from ${JSON.stringify(LIGHT_CRYPTO)}`] : []),
    late
      ? `const load = () => process.getBuiltinModule(${source})\nconst own = /* @__PURE__ */ load()`
      : `const own = process.getBuiltinModule(${source})`,
    'const of = (name) => own[name]',
    'export default own',
    ...declared,
    `export { ${names.map((name) => `$${name} as ${name}`).join(', ')} }`,
  ].join('\n')
}

/** For dependencies in CommonJS, which take what they use from the whole module, mostly when they use it. */
const contentsForRequire = (path: string): string => {
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`
  return LATE.has(path)
    ? `module.exports = new Proxy({}, { get: (_, name) => ${load}[name] })`
    : `module.exports = ${load}`
}

const DEPENDENCY = /[\\/]node_modules[\\/]/u

export const nodeModules: Plugin = {
  name: "Node's own modules",
  setup: (build) => {
    build.onResolve({ filter: /^(?:node:)?[a-z0-9_/]+$/ }, ({ path, kind, importer }) => {
      if (!isBuiltin(path)) return undefined
      if (kind === 'require-call') return { path, namespace: 'required builtin' }
      if (kind !== 'import-statement') return undefined
      // A dependency may ask for more of a hash than our own files do.
      const light = path === 'node:crypto' && importer !== LIGHT_CRYPTO && !DEPENDENCY.test(importer)
      return { path, namespace: light ? 'light builtin' : 'builtin' }
    })
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: contentsFor(path, false),
    }))
    build.onLoad({ filter: /./, namespace: 'required builtin' }, ({ path }) => ({
      contents: contentsForRequire(path),
    }))
    build.onLoad({ filter: /./, namespace: 'light builtin' }, ({ path }) => ({
      contents: contentsFor(path, true),
      resolveDir: import.meta.dirname,
    }))
  },
}
