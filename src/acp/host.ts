/** What the face needs of a gateway. */
import type { Gateway } from '../gateway.ts'

export type FaceRuntime = Pick<
  Gateway['runtime'],
  'start' | 'check' | 'awaits' | 'watch' | 'close' | 'providers'
>

export interface FaceHost extends Pick<Gateway, 'rootRequest'> {
  readonly runtime: FaceRuntime
}
