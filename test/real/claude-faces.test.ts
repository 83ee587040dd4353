/** What Subgate promises of the real Claude Code, by the program and by the library alike. */
import { expect } from 'vitest'
import { claudeNative } from './agents.ts'
import { describeFaces } from './face-suite.ts'
import type { Step } from './model/script.ts'

const call = (tool: string, input: Readonly<Record<string, unknown>>): Step => ({
  do: 'call',
  tool,
  input,
  unoffered: true,
})

const usedUp = (at: number): Step => ({
  do: 'fail',
  status: 429,
  body: { type: 'error', error: { type: 'rate_limit_error', message: `Usage limit reached|${at}` } },
})

describeFaces(claudeNative, {
  shell: (command) => call('Bash', { command, description: 'x' }),
  free: { permission: 'allow' },
  writes: { permission: 'allow' },
  program: ' --input-format ',
  waits: { do: 'hang' },
  faults: [
    ['401', { do: 'fail', status: 401 }, 'AUTH_REQUIRED', false, '/login'],
    ['429', { do: 'fail', status: 429 }, 'AGENT_BUSY', true, 'Try again later.'],
    ['an overloaded service', { do: 'fail', status: 529 }, 'AGENT_BUSY', true, 'Try again'],
    ['an unknown model', { do: 'fail', status: 404 }, 'AGENT_ERROR', false, '--model'],
    ['a refused request', { do: 'fail', status: 400 }, 'AGENT_ERROR', false, 'will not help'],
    ['500', { do: 'fail', status: 500 }, 'MODEL_ERROR', true, 'failed'],
    ['garbage', { do: 'garbage', text: '<html>Bad gateway</html>\n' }, 'MODEL_ERROR', true, 'failed'],
    ['a cut answer', { do: 'cut', text: 'Half of the ' }, 'MODEL_ERROR', true, 'failed'],
  ],
  usedUp,
  exactMs: 60_000,
  schema: {
    steps: [call('StructuredOutput', { colour: 'green' }), { do: 'say', text: 'Said.' }],
    seen: ({ tools }) => expect(tools).toContain('StructuredOutput'),
  },
  persona: 'Claude Code',
  listed: ['Read'],
})
