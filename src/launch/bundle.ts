/** The files of the executable, each a script of one function, which is called once, when another asks for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import type { CodeCache } from './code-cache.ts'

/** What a script knows of its place, as a module does. */
interface Meta {
  readonly url: string
  resolve(specifier: string): string
}

type Body = (
  module: { exports: unknown },
  require: (name: string) => unknown,
  load: (specifier: string) => Promise<unknown>,
  meta: Meta,
) => void

/** What the build writes of a file's code. */
export const asBody = (code: string): string =>
  `(function (module, require, load, meta) { 'use strict'; ${code}\n})`

/** A script of its own can't import without a warning of Node's. */
const load = (specifier: string): Promise<unknown> => import(specifier)

/** Modules of Node's are loaded for it when it is asked. */
const metaOf = (path: string): Meta => ({
  get url() {
    return process.getBuiltinModule('node:url').pathToFileURL(path).href
  },
  resolve: (specifier) => {
    const { createRequire } = process.getBuiltinModule('node:module')
    return process.getBuiltinModule('node:url').pathToFileURL(createRequire(path).resolve(specifier)).href
  },
})

export class Bundle {
  readonly #folder: string
  readonly #cache: CodeCache | undefined
  readonly #loaded = new Map<string, { exports: unknown }>()
  /** Those whose compiled code is to be kept. */
  readonly #fresh = new Map<string, Script>()

  constructor(folder: string, cache: CodeCache | undefined) {
    this.#folder = folder
    this.#cache = cache
  }

  /** `./name.js`; what a script exports. */
  readonly require = (specifier: string): unknown => {
    const name = specifier.slice('./'.length)
    const before = this.#loaded.get(name)
    if (before !== undefined) return before.exports
    const module = { exports: {} }
    this.#loaded.set(name, module)
    const path = join(this.#folder, name)
    const body = this.#compiled(name, path).runInThisContext() as Body
    body(module, this.require, load, metaOf(path))
    return module.exports
  }

  /** Keeps the code of all functions that ran so far. */
  keep(): void {
    if (this.#fresh.size === 0) return
    this.#cache?.write(new Map([...this.#fresh].map(([name, script]) => [name, script.createCachedData()])))
  }

  #compiled(name: string, path: string): Script {
    // The build writes nothing but ASCII, which is read twice as fast this way.
    const source = readFileSync(path, 'latin1')
    const kept = this.#cache?.read(name)
    const script = new Script(source, {
      filename: path,
      ...(kept !== undefined && { cachedData: kept.code }),
    })
    if (kept === undefined || kept.old || script.cachedDataRejected === true) this.#fresh.set(name, script)
    return script
  }
}
