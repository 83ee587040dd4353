/** The tools of an agent: one resolver for wire schemas, lookup, execution, prompt guidance and listing (B7). */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { SubagentError } from '../../contract/errors.ts'
import type { ToolFilter } from '../../contract/events.ts'
import { closest } from '../../contract/parse.ts'
import { Scope } from '../scope.ts'
import type { Tool } from './tool.ts'

/** Presentations of other tools: no restriction names or touches them. */
const RESERVED: ReadonlySet<string> = new Set(['run_code'])

/** One paragraph on a family of tools, for those of its names that are in view. */
export type Guidance = string | ((names: readonly string[]) => string)

/** What an agent sees of its tools. Live: each call resolves anew. */
export interface ToolView {
  list(): readonly Tool[]
  names(): readonly string[]
  /** Lookup for execution too: what isn't in view doesn't run. */
  find(name: string): Tool | undefined
  wire(): LanguageModelV4FunctionTool[]
  guidance(): string
}

interface Restriction {
  readonly allow?: ReadonlySet<string>
  readonly deny: ReadonlySet<string>
}

const admits = ({ allow, deny }: Restriction, name: string): boolean =>
  RESERVED.has(name) || ((allow?.has(name) ?? true) && !deny.has(name))

const refuse = (message: string, suggestion?: string): never => {
  throw new SubagentError('INVALID_REQUEST', 'session', message, {
    field: 'toolFilter',
    ...(suggestion !== undefined && { suggestion }),
  })
}

/** One scope: what its parent's view admits, and its own tools, which no restriction touches. */
export class ToolRegistry implements ToolView, Disposable {
  readonly #parent: ToolRegistry | undefined
  readonly #own = new Scope<Tool>('tool')
  readonly #guides: Scope<Guidance>
  readonly #restrictions = new Set<Restriction>()

  constructor(parent?: ToolRegistry) {
    this.#parent = parent
    this.#guides = new Scope('tool family', parent && parent.#guides)
  }

  add(tool: Tool): Disposable {
    return this.#own.add(tool.name, tool)
  }

  guide(family: string, guidance: Guidance): Disposable {
    return this.#guides.add(family, guidance)
  }

  /** The names that a restriction of this scope may use now. */
  restrictable(): readonly string[] {
    return (this.#parent?.names() ?? []).filter((name) => !RESERVED.has(name))
  }

  /** Holds for all that is inherited, also what is added later; several intersect. */
  restrict({ allow, deny }: ToolFilter): Disposable {
    if (allow === undefined && deny === undefined) {
      refuse('A tool filter needs "allow", "deny" or both. To hide every inherited tool, allow: [].')
    }
    const known = this.restrictable()
    const unknown = [...(allow ?? []), ...(deny ?? [])].find((name) => !known.includes(name))
    if (unknown !== undefined) {
      const list = known.length === 0 ? 'There are none here' : `The known ones are: ${known.join(', ')}`
      const suggestion = closest(unknown, known)
      const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
      refuse(`The tool filter names "${unknown}", which is no inherited tool. ${list}.${hint}`, suggestion)
    }
    const restriction: Restriction = {
      ...(allow !== undefined && { allow: new Set(allow) }),
      deny: new Set(deny),
    }
    this.#restrictions.add(restriction)
    return { [Symbol.dispose]: () => void this.#restrictions.delete(restriction) }
  }

  list(): readonly Tool[] {
    return [...this.#resolve().values()]
  }

  names(): readonly string[] {
    return [...this.#resolve().keys()]
  }

  find(name: string): Tool | undefined {
    return this.#resolve().get(name)
  }

  wire(): LanguageModelV4FunctionTool[] {
    return this.list().map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      inputSchema,
    }))
  }

  guidance(): string {
    const tools = this.list()
    return [...this.#guides.all()]
      .flatMap(([family, text]) => {
        const names = tools.filter((tool) => tool.family === family).map(({ name }) => name)
        if (names.length === 0) return []
        return typeof text === 'string' ? [text] : [text(names)]
      })
      .join('\n\n')
  }

  /** Its tools, restrictions and guidance are gone; its parent's stand as before (B3.8). */
  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]()
    this.#guides[Symbol.dispose]()
    this.#restrictions.clear()
  }

  #resolve(): Map<string, Tool> {
    const view = new Map<string, Tool>()
    const restrictions = [...this.#restrictions]
    const inherited = this.#parent === undefined ? [] : this.#parent.#resolve()
    for (const [name, tool] of inherited) {
      if (restrictions.every((restriction) => admits(restriction, name))) view.set(name, tool)
    }
    for (const [name, tool] of this.#own.own) view.set(name, tool)
    return view
  }
}
