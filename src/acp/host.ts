/** What the face needs of a gateway. */
import type { Gateway } from '../gateway.ts'

export type FaceRuntime = Pick<
  Gateway['runtime'],
  'start' | 'check' | 'awaits' | 'watch' | 'close' | 'providers' | 'cancelSubagent'
>

export interface FaceHost extends Pick<Gateway, 'rootRequest' | 'store'> {
  readonly runtime: FaceRuntime
}
