/** A check of one behaviour: given the stage and the cue's start, it returns, or throws what was unmet. */
import type { Cue } from './fixture.ts'
import type { Stage, Start } from './stage.ts'

export interface Scene {
  readonly stage: Stage
  readonly cue: Cue
  /** The cue's request. */
  readonly start: Start
}

export type Check = (scene: Scene) => Promise<void>
