/** Keys that are understood but that no part of this version acts on yet: said, so that nobody relies on them. */
import type { Config } from './config.ts'
import { printable } from '../contract/printable.ts'

/** One line a key that is set. */
export const inertKeys = ({ providers }: Config): readonly string[] =>
  Object.entries(providers)
    .filter(([, { warm }]) => warm === true)
    .map(([name]) => printable(`providers.${name}.warm doesn't count: each run starts a process of its own.`))
