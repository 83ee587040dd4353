/** What the face needs of a gateway. */
import type { Gateway } from '../gateway.ts'

export type FaceRuntime = Pick<
  Gateway['runtime'],
  | 'start'
  | 'check'
  | 'awaits'
  | 'watchStretches'
  | 'close'
  | 'providers'
  | 'agent'
  | 'settings'
  | 'cancelSubagent'
>

export type ChatStore = Pick<Gateway['store'], 'list' | 'get' | 'read' | 'run' | 'runs'>
export type StoredChat = ReturnType<ChatStore['list']>[number]

export interface FaceHost extends Pick<Gateway, 'rootRequest' | 'remove' | 'recovered' | 'storedRun'> {
  readonly runtime: FaceRuntime
  readonly store: ChatStore
  /** Absent: no presets are offered by name. */
  readonly presets?: Pick<Gateway['presets'], 'list'>
}
