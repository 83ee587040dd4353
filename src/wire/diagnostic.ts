/** What went by on a wire that no caller waits for; for logs and start-up errors. */
import type { RpcFailure, RpcId } from './message.ts'
import type { Unmatched } from './pending.ts'

export type Diagnostic =
  /** A line that is no envelope; `line` is shortened and made visible. It gets no answer. */
  | { readonly kind: 'noise'; readonly line: string; readonly bytes: number }
  /** A JSON array: answered by one -32600. */
  | { readonly kind: 'batch'; readonly line: string; readonly bytes: number }
  /** An answer that nobody waits for (any more), with the error that it brought. */
  | { readonly kind: Unmatched; readonly id: RpcId; readonly error?: RpcFailure }
  /** `method` is that of the request of ours that was rejected, or of theirs that is lost. */
  | { readonly kind: 'oversized'; readonly bytes: number; readonly limit: number; readonly method?: string }
  /** A handler of ours threw, or its answer couldn't be written. */
  | { readonly kind: 'fault'; readonly method: string; readonly error: unknown }
