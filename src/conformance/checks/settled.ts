/** Settled means gone (law 5). */
import type { Check } from '../check.ts'
import { hold } from '../failure.ts'
import { hanging } from './cancel.ts'

const isGone: Check = async ({ stage }) => {
  const left = await stage.leftovers()
  hold(left.length === 0, 'nothing to be left at the settlement', left.join(', '))
}

export const goneAfterRun: Check = async (scene) => {
  await scene.stage.play(scene.start)
  await isGone(scene)
}

export const goneAfterCancel: Check = async (scene) => {
  const run = await hanging(scene)
  run.cancel()
  await run.result
  await isGone(scene)
}
