/** Work on one path, one after the other, so that no change of it is lost; different paths don't wait. */

const tails = new Map<string, Promise<unknown>>()

export const inTurn = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const mine = (tails.get(path) ?? Promise.resolve()).then(work)
  const tail = mine.catch(() => undefined)
  tails.set(path, tail)
  try {
    return await mine
  } finally {
    if (tails.get(path) === tail) tails.delete(path)
  }
}
