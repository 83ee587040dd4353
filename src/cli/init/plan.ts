/** What `subgate init` is asked to bring into an editor's configuration, and what has to be done for it. */

export interface Wish {
  /** What people see in the editor. */
  readonly name: string
  /** Absolute words that start this program; the editor may know no PATH. */
  readonly launch: readonly [string, ...string[]]
  /** The provider that is served; absent: as it stands there, or the editor's choice. */
  readonly provider?: string
  /** Where agents are found, for an editor that has no PATH of a shell. */
  readonly path: string
}

export type Plan =
  | { readonly kind: 'same' }
  | { readonly kind: 'write'; readonly text: string }
  /** What stands there under our name starts something else; the text would replace it; or do this instead. */
  | { readonly kind: 'foreign'; readonly what: string; readonly instead: string; readonly text: string }

export interface EditorPlan {
  /** Throws a `JsoncFault` where the text can't be changed safely. */
  readonly plan: (before: string | undefined, wish: Wish) => Plan
  /** The entry alone. */
  readonly entry: (wish: Wish) => string
}
