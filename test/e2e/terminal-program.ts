/** What `terminal.test.ts` runs under a pty: live lines, an answer, a question, and the end. */
import { abilitiesOf } from '../../src/cli/terminal/abilities.ts'
import { LiveView } from '../../src/cli/terminal/live-view.ts'
import { PermissionPrompt } from '../../src/cli/terminal/permission-prompt.ts'

const { live, ...style } = abilitiesOf(process.stderr, process.env)
const view = new LiveView({
  stream: process.stderr,
  answers: process.stdout,
  now: Date.now,
  timers: globalThis,
  enabled: live,
  style,
})
const prompt = new PermissionPrompt({ input: process.stdin, output: process.stderr })
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const started = { startedAt: Date.now(), needsYou: false }

view.update('1', { path: '翻訳', doing: '設計書を読んでいます', ...started })
view.update('2', { path: 'codex', doing: 'Run \u001B[2J\u001B]0;owned\u0007tests', ...started })
await wait(350)
view.text('First \u001B[2Jline.\n')
await wait(250)
const abort = new AbortController()
const outcome = await view.question(() =>
  prompt.ask(
    {
      path: ['codex'],
      toolCall: { toolCallId: 't1', title: 'Write a.md', kind: 'edit' },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    },
    abort.signal,
  ),
)
await wait(250)
view.text(`Second: ${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome}`)
view.close()
