/** A person's client for the library: what it offers, what it was asked, and what it answers. */
import type { Client, ClientAnswer, ClientOffer, PlacedCall } from '../../src/index.ts'

export const FORMS_ALONE: ClientOffer = {
  readTextFile: false,
  writeTextFile: false,
  terminal: false,
  elicitation: { form: true, url: false },
}

export const askedClient = (
  offer: ClientOffer,
  roots: readonly string[],
  answer: (call: PlacedCall) => ClientAnswer,
): Client & { readonly asked: readonly PlacedCall[] } => {
  const asked: PlacedCall[] = []
  return {
    offer,
    roots,
    asked,
    request: async (call) => {
      asked.push(call)
      return answer(call)
    },
    completeElicitation: () => {},
  }
}
