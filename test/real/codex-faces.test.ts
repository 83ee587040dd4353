/** What Subgate promises of the real Codex, by the program and by the library alike. */
import { expect } from 'vitest'
import { codexNative } from './agents.ts'
import { describeFaces } from './face-suite.ts'
import type { Step } from './model/script.ts'

const shell = (cmd: string): Step => ({ do: 'call', tool: 'exec_command', input: { cmd } })

const usedUp = (at: number): Step => ({
  do: 'fail',
  status: 429,
  body: {
    error: {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: 'plus',
      resets_at: at,
    },
  },
})

const UNKNOWN_MODEL = {
  error: {
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model does not exist.',
    param: null,
  },
}

describeFaces(codexNative, {
  shell,
  free: { sandbox: 'danger-full-access' },
  writes: { sandbox: 'workspace-write' },
  program: ' app-server ',
  waits: shell('tail -f /dev/null'),
  faults: [
    ['401', { do: 'fail', status: 401 }, 'AUTH_REQUIRED', false, 'codex login'],
    ['429', { do: 'fail', status: 429 }, 'AGENT_BUSY', true, 'Try again later.'],
    [
      'a rate limit in mid-answer',
      { do: 'break', text: 'half', code: 'rate_limit_exceeded' },
      'AGENT_BUSY',
      true,
      'Try again',
    ],
    ['an overloaded service', { do: 'fail', status: 503 }, 'AGENT_BUSY', true, 'Try again'],
    ['an unknown model', { do: 'fail', status: 404, body: UNKNOWN_MODEL }, 'AGENT_ERROR', false, '--model'],
    ['a refused request', { do: 'fail', status: 400 }, 'AGENT_ERROR', false, 'refused its request'],
    ['500', { do: 'fail', status: 500 }, 'MODEL_ERROR', true, 'failed'],
    ['garbage', { do: 'garbage', text: '<html>Bad gateway</html>\n' }, 'MODEL_ERROR', true, 'stream'],
    ['a cut answer', { do: 'cut', text: 'Half of the ' }, 'MODEL_ERROR', true, 'stream'],
  ],
  usedUp,
  // Codex says it to the minute.
  exactMs: 120_000,
  schema: {
    steps: [{ do: 'say', text: '{"colour":"green"}' }],
    seen: (asked, schema) => expect(asked.schema).toEqual(schema),
  },
  persona: 'Codex',
})
