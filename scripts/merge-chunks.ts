/**
 * Makes few files of the many that a command loads: shared parts are split by who shares them, and each file costs a
 * start its own resolving, reading and linking. What is loaded by name keeps its file, as a pointer to where it is now.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as esbuild from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

type Files = ReadonlySet<string>

interface Merged {
  readonly file: string
  readonly parts: Files
}

/** Files by name, as they lie in one folder. */
class Graph {
  readonly #outputs: ReadonlyMap<string, Metafile['outputs'][string]>

  constructor({ outputs }: Metafile) {
    this.#outputs = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  }

  fileOf(source: string): string {
    for (const [file, { entryPoint }] of this.#outputs) if (entryPoint === source) return file
    throw new Error(`${source} has no file of its own in the bundle.`)
  }

  /** What is loaded with a file, itself too. */
  loadedWith(file: string, found: Set<string> = new Set()): Files {
    found.add(file)
    for (const { path, kind, external } of this.#outputs.get(file)?.imports ?? [])
      if (kind === 'import-statement' && external !== true && !found.has(basename(path)))
        this.loadedWith(basename(path), found)
    return found
  }

  get files(): readonly string[] {
    return [...this.#outputs.keys()]
  }

  /** By its own name, by an import that waits until it is needed. */
  isAskedFor(file: string): boolean {
    return this.#outputs.get(file)?.entryPoint !== undefined
  }

  exportsOf(file: string): readonly string[] {
    return this.#outputs.get(file)?.exports ?? []
  }
}

const nameIn = (part: string, name: string): string => `${part.replaceAll(/\W/gu, '_')}_${name}`

/** In the merged file a part's exports have names of their own. */
const offered = (part: string, names: readonly string[]): string =>
  names.length === 0
    ? `import './${part}'\n`
    : `export { ${names.map((name) => `${name} as ${nameIn(part, name)}`).join(', ')} } from './${part}'\n`

const pointer = (part: string, names: readonly string[], file: string): string =>
  names.length === 0
    ? `import './${file}'\n`
    : `export { ${names.map((name) => `${nameIn(part, name)} as ${name}`).join(', ')} } from './${file}'\n`

const LOCAL = /^\.\/[^/]+\.js$/

/** The parts are taken in, pointers to what was merged before are followed, and the rest stays where it is. */
const inParts = (graph: Graph, parts: Files, before: readonly Merged[]): Plugin => ({
  name: 'parts',
  setup: (build) => {
    build.onResolve({ filter: LOCAL }, ({ path, kind, resolveDir }) => {
      const file = basename(path)
      if (kind === 'dynamic-import') return { path, external: true }
      if (parts.has(file)) return { path: join(resolveDir, file) }
      const merged = before.find((each) => each.parts.has(file))
      return merged === undefined
        ? { path, external: true }
        : { path: join(resolveDir, file), namespace: 'pointer', pluginData: merged.file }
    })
    build.onLoad({ filter: /./, namespace: 'pointer' }, ({ path, pluginData }) => {
      const part = basename(path)
      return { contents: pointer(part, graph.exportsOf(part), pluginData as string) }
    })
  },
})

/** `entry` is the source of the program, `often` of what most of its uses load at once. */
export const mergeChunks = async (
  folder: string,
  metafile: Metafile,
  { entry, often, options }: { entry: string; often: string; options: BuildOptions },
): Promise<void> => {
  const graph = new Graph(metafile)
  const main = graph.fileOf(entry)
  const base = new Set([...graph.loadedWith(main)].filter((file) => file !== main))
  const rest = new Set([...graph.loadedWith(graph.fileOf(often))].filter((file) => !base.has(file)))
  if (rest.has(main)) throw new Error(`${often} loads the program that loads it.`)
  const merged: Merged[] = []
  const written = new Map<string, string>()
  const write = async (file: string, parts: Files, from: BuildOptions): Promise<void> => {
    const plugins = [inParts(graph, parts, merged)]
    const all = { ...options, ...from, plugins, splitting: false, write: false } as const
    const { outputFiles } = await esbuild.build(all)
    written.set(file, outputFiles[0]?.text ?? '')
  }
  for (const [file, parts] of [
    ['base.js', base],
    ['run.js', rest],
  ] as const) {
    const contents = [...parts].map((part) => offered(part, graph.exportsOf(part))).join('')
    await write(file, parts, { stdin: { contents, resolveDir: folder } })
    merged.push({ file, parts })
  }
  for (const file of graph.files) {
    const into = merged.find(({ parts }) => parts.has(file))?.file
    if (into === undefined) await write(file, new Set([file]), { entryPoints: [join(folder, file)] })
    else if (graph.isAskedFor(file)) written.set(file, pointer(file, graph.exportsOf(file), into))
    else rmSync(join(folder, file))
  }
  for (const [file, text] of written) writeFileSync(join(folder, file), text)
}
