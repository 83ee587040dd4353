/** How runs end: statuses, categories, text and typed errors (B10, C22). */
import type { EndingCategory, RunStatus, SubagentResult } from '../../contract/result.ts'
import type { Check } from '../check.ts'
import { hold, shown } from '../failure.ts'
import { textOf } from './run.ts'

const brief = ({ status, category, text, error }: SubagentResult): string =>
  shown({ status, category, text, error: error?.code })

/** Ends with this status, and where a category is given, with that; partial text is kept where `saying`. */
export const endsAs =
  (status: RunStatus, { category, saying }: { category?: EndingCategory; saying?: boolean } = {}): Check =>
  async ({ stage, start }) => {
    const { result, events } = await stage.play(start)
    const fits = result.status === status && (category === undefined || result.category === category)
    hold(fits, category === undefined ? status : `${status}/${category}`, brief(result))
    if (saying === true) hold(result.text.trim() !== '', 'what it said to be kept', brief(result))
    if (saying === false) hold(result.text.trim() === '', 'no text', brief(result))
    if (saying === true)
      hold(textOf(events).includes(result.text), 'the text in its events', shown(textOf(events)))
  }

export const failsTyped: Check = async (scene) => {
  await endsAs('failed', { saying: true })(scene)
  const { result } = await scene.stage.play(scene.start)
  hold(
    result.error !== undefined && result.category !== undefined,
    'a typed error and its category',
    brief(result),
  )
}

export const textIsOutput: Check = async ({ stage, start, cue }) => {
  const { result } = await stage.play(start)
  const said = (cue.says ?? []).join('')
  hold(
    result.text !== '' && said.endsWith(result.text),
    `the text of the last message, part of ${shown(said)}`,
    brief(result),
  )
}

export const isFold: Check = async ({ stage, start }) => {
  const { result, events } = await stage.play(start)
  const last = events.at(-1)?.event
  if (last?.type !== 'run/settled') return hold(false, 'run/settled last', String(last?.type))
  const facts = ({ status, category, usage, error, denied, structured }: typeof last | SubagentResult) =>
    JSON.stringify({ status, category, usage, error, denied, structured })
  hold(facts(last) === facts(result), shown(facts(last)), shown(facts(result)))
}
