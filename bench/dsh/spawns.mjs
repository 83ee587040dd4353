/** dsh with what its in-process children need and no more: one call is one child that is started, answers and is gone. */
import { Context } from '@deepseek-ai/cordis'
import { AgentRegistry } from '@deepseek-ai/dsh-agent'
import { AgentLoop } from '@deepseek-ai/dsh-agent-loop'
import { LlmAdapter, LlmRuntime } from '@deepseek-ai/dsh-llm'
import { SessionId, SessionStore } from '@deepseek-ai/dsh-session'
import { SubagentRuntime } from '@deepseek-ai/dsh-subagent'
import * as spawnInProcess from '@deepseek-ai/dsh-subagent-spawn-in-process'
import { SystemPrompt } from '@deepseek-ai/dsh-system-prompt'
import { ToolRuntime } from '@deepseek-ai/dsh-tools'

const ROUTE = 'scripted'

/** Answers every request with one word. */
class ScriptedModel extends LlmAdapter {
  async *stream() {
    const block = { type: 'text', text: 'done' }
    yield { type: 'block-start', index: 0, blockType: 'text' }
    yield { type: 'text-delta', index: 0, text: block.text }
    yield { type: 'block-end', index: 0, block }
    yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 1 } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  }
}

export const openDsh = async () => {
  const context = new Context()
  await context.plugin(LlmRuntime)
  await context.plugin(SessionStore)
  await context.plugin(SystemPrompt, {})
  await context.plugin(ToolRuntime, {})
  await context.plugin(AgentRegistry)
  await context.plugin(AgentLoop, { agents: [] })
  await context.plugin(SubagentRuntime)
  await context.plugin(spawnInProcess, { providerName: 'spawn' })
  context.llm.registerAdapter([ROUTE], new ScriptedModel())
  const parent = context.agentLoop.create(SessionId('parent'), { provider: ROUTE, model: ROUTE })
  return {
    spawn: async (prompt) => {
      const { signal } = new AbortController()
      const run = await context.subagents.start('spawn', {
        prompt: [{ type: 'text', text: prompt }],
        parent,
        signal,
      })
      const { output } = await run.result
      await run.dispose()
      return output.map(({ text }) => text).join('')
    },
    close: () => context.fiber.dispose(),
  }
}
