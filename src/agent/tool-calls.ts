/** Runs the calls of one step side by side. Whatever goes wrong is a result for the model. */
import { ABORTED, orAborted } from './abort.ts'
import type { Approvals } from './approvals.ts'
import type { Clock } from './clock.ts'
import { passHooks } from './hooks.ts'
import type { Ask, PreToolHook } from './hooks.ts'
import type { ModelCall } from './step.ts'
import { misfit, unknownTool } from './tool-arguments.ts'
import type { CompileSchema } from './tools/input-check.ts'
import type { ToolView } from './tools/registry.ts'
import type { Tool, ToolContext, ToolResult } from './tools/tool.ts'
import type { Transcript } from './transcript.ts'

/** Calls of one step that run side by side; more wait for their place (B12.1). */
export const PARALLEL_CALLS = 10
/** Milliseconds that a tool has to stop after a cancel; less than the runtime gives the agent. */
export const TOOL_GRACE_MS = 1_000

/** What all calls of a session have at hand. */
export type Workspace = Pick<ToolContext, 'cwd' | 'roots' | 'sandbox' | 'asksForWrites' | 'outputs'>

export interface CallOptions {
  readonly tools: ToolView
  readonly compileSchema: CompileSchema
  readonly approvals: Pick<Approvals, 'ask'>
  readonly hooks: readonly PreToolHook[]
  readonly workspace: Workspace
  readonly transcript: Transcript
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly parallel: number
  readonly graceMs: number
  /** Hears each call's final result, after which nothing changes it. */
  settled(callId: string, succeeded: boolean): void
}

const failed = (text: string): ToolResult => ({ text, isError: true })
const NOT_RUN = 'The run was cancelled before this call began; it was not run.'

export const runCalls = async (calls: readonly ModelCall[], options: CallOptions): Promise<void> => {
  const waiting = [...calls]
  const work = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const result = await resultOf(call, options)
      options.transcript.endCall(call.callId, result)
      options.settled(call.callId, result.isError !== true)
      await options.transcript.room()
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.parallel, calls.length) }, work))
}

const resultOf = async (call: ModelCall, options: CallOptions): Promise<ToolResult> => {
  const { tools, hooks, signal, transcript, compileSchema } = options
  if (signal.aborted) return failed(NOT_RUN)
  const tool = tools.find(call.name)
  if (tool === undefined) return failed(unknownTool(call.name, tools.names()))
  if ('problem' in call.arguments) return failed(call.arguments.problem)
  const { input } = call.arguments
  const wrong = await misfit(tool, input, compileSchema)
  if (wrong !== undefined) return failed(wrong)
  // What the tool still does after its result is nothing to anybody.
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const ask: Ask = (question) =>
    over.signal.aborted
      ? Promise.resolve('cancelled')
      : options.approvals.ask(question, { signal: stop, toolCallId: call.callId })
  try {
    const hookCall = { callId: call.callId, tool: tool.name, kind: tool.kind, title: call.title, input }
    const passed = await orAborted(passHooks(hooks, hookCall, ask, signal), signal)
    if (passed === ABORTED || signal.aborted) return failed(NOT_RUN)
    if (passed !== undefined) return failed(passed)
    transcript.say({ sessionUpdate: 'tool_call_update', toolCallId: call.callId, status: 'in_progress' })
    return await perform(tool, call, input, { options, stop, over: over.signal, ask })
  } finally {
    over.abort()
  }
}

interface Performance {
  readonly options: CallOptions
  readonly stop: AbortSignal
  readonly over: AbortSignal
  readonly ask: Ask
}

const perform = async (
  tool: Tool,
  { callId }: ModelCall,
  input: Parameters<Tool['run']>[0],
  { options, stop, over, ask }: Performance,
): Promise<ToolResult> => {
  const { workspace, transcript, signal, clock, graceMs } = options
  const context: ToolContext = {
    callId,
    signal: stop,
    cwd: workspace.cwd,
    roots: workspace.roots,
    asksForWrites: workspace.asksForWrites,
    sandbox: () => workspace.sandbox(),
    outputs: workspace.outputs,
    ask,
    report: ({ title, locations, content }) => {
      if (over.aborted) return
      transcript.say({
        sessionUpdate: 'tool_call_update',
        toolCallId: callId,
        ...(title !== undefined && { title }),
        ...(locations !== undefined && { locations: [...locations] }),
        ...(content !== undefined && { content: [...content] }),
      })
    },
  }
  const running = Promise.try(() => tool.run(input, context)).catch((error: unknown) =>
    failed(`The tool ${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`),
  )
  const first = await orAborted(running, signal)
  if (first !== ABORTED) return first
  const late = clock.sleep(graceMs, over).then((): typeof ABORTED => ABORTED)
  const last = await Promise.race([running, late])
  if (last !== ABORTED) return last
  return failed(`The run was cancelled, and ${tool.name} did not stop in time; it may have done its work.`)
}
