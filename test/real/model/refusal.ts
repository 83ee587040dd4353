/** A request that the service would not take, and the small checks that say so. */

export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Fields = Readonly<Record<string, unknown>>

export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Refusal(400, message)
}

export const fields = (value: unknown, where: string): Fields => {
  demand(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    `${where}: Input should be an object`,
  )
  return value as Fields
}

export const list = (value: unknown, where: string): readonly unknown[] => {
  demand(Array.isArray(value), `${where}: Input should be a valid array`)
  return value
}

export const string = (value: unknown, where: string): string => {
  demand(typeof value === 'string' && value !== '', `${where}: Input should be a non-empty string`)
  return value
}
