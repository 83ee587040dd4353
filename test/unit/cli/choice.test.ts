/** Which provider a `run` goes to, and which words are its prompt. */
import { describe, expect, test } from 'vitest'
import { chooseProvider } from '../../../src/cli/run/choice.ts'
import type { Choice, ChoiceInputs } from '../../../src/cli/run/choice.ts'
import { SubagentError } from '../../../src/contract/errors.ts'

const NAMES = ['claude-code', 'claude', 'codex', 'gemini', 'opencode', 'spawn', 'builtin', 'fork']

const choose = (inputs: Partial<ChoiceInputs>): Choice =>
  chooseProvider({
    words: [],
    names: NAMES,
    found: () => [],
    installable: () => [
      { name: 'claude-code', npm: '@agentclientprotocol/claude-agent-acp' },
      { name: 'codex', npm: '@agentclientprotocol/codex-acp' },
    ],
    ...inputs,
  })

const refusal = (inputs: Partial<ChoiceInputs>): SubagentError => {
  try {
    choose(inputs)
  } catch (error) {
    if (SubagentError.is(error)) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the first word', () => {
  test.each(NAMES)('"%s" is a provider, whether or not it is installed', (name) => {
    expect(choose({ words: [name, 'fix', 'it'] })).toEqual({ provider: name, words: ['fix', 'it'] })
  })

  test('a name alone leaves the prompt to standard input', () => {
    expect(choose({ words: ['codex'] })).toEqual({ provider: 'codex', words: [] })
  })

  test('a sentence that begins with a name is a prompt, as it is one word of the shell', () => {
    expect(choose({ words: ['codex fix it'], found: () => ['gemini'] })).toMatchObject({
      provider: 'gemini',
      words: ['codex fix it'],
    })
  })

  test.each([
    [['codx']],
    [['codx', 'fix']],
    [['codx', 'fix', 'the', 'bug']],
    [['Codex', 'fix']],
    [['claud', '']],
  ])('a near miss is refused with the suggestion, whatever follows: %j', (words) => {
    const error = refusal({ words, defaultProvider: 'gemini', found: () => ['gemini'] })
    const guess = words[0]?.toLowerCase().startsWith('claud') === true ? 'claude' : 'codex'
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', data: { suggestion: guess } })
    expect(error.message).toContain(`did you mean "${guess}"?`)
    expect(error.message).toContain(`subgate run ${guess} `)
  })

  test.each(['fix', 'explain', 'hello', 'codecs-and-containers'])(
    'a word that resembles no name is a prompt: "%s"',
    (word) => {
      expect(choose({ words: [word], defaultProvider: 'gemini' })).toEqual({
        provider: 'gemini',
        words: [word],
      })
    },
  )
})

describe('-p and --', () => {
  test('with -p every word is prompt, also one that is a name', () => {
    expect(choose({ words: ['codex', 'is', 'slow'], named: 'gemini' })).toEqual({
      provider: 'gemini',
      words: ['codex', 'is', 'slow'],
    })
  })

  test('with a command every word before it is prompt, also one that is nearly a name', () => {
    for (const words of [['codex'], ['codx', 'x'], ['fix it'], []])
      expect(choose({ words, command: ['my-agent', '--acp'] })).toEqual({ provider: 'acp', words })
  })

  test('nothing behind -- is refused with the form to type', () => {
    expect(refusal({ words: ['x'], command: [] }).message).toBe(
      'Behind -- stands no command. Type: subgate run "…" -- <command> [args…]',
    )
  })

  test('-p and a command together are refused', () => {
    expect(refusal({ words: ['x'], command: ['a'], named: 'codex' }).message).toBe(
      'Both -p codex and a command behind -- were given. Leave one out.',
    )
  })
})

describe('no name at all', () => {
  test('the default provider comes before what is found, and the search is spared', () => {
    const found = (): never => {
      throw new Error('searched')
    }
    expect(choose({ words: ['fix it'], defaultProvider: 'codex', found })).toEqual({
      provider: 'codex',
      words: ['fix it'],
    })
  })

  test('the only agent found is used, and that is said', () => {
    expect(choose({ words: ['fix it'], found: () => ['gemini'] })).toEqual({
      provider: 'gemini',
      words: ['fix it'],
      note: 'Using gemini, the only agent found here.',
    })
  })

  test('with none, the complete commands are shown', () => {
    expect(refusal({ words: ['fix', 'it'] }).message.split('\n')).toEqual([
      'No agent was named and none is found here. Type one of:',
      '  subgate run "fix it" -- <command that starts an ACP agent>',
      '  npm install -g @agentclientprotocol/claude-agent-acp && subgate run claude-code "fix it"',
      '  npm install -g @agentclientprotocol/codex-acp && subgate run codex "fix it"',
    ])
  })

  test('with several, the complete commands are shown', () => {
    const error = refusal({ words: ['fix "it"'], found: () => ['codex', 'gemini'] })
    expect(error.code).toBe('INVALID_REQUEST')
    expect(error.message.split('\n')).toEqual([
      'No agent was named and several are found here. Type one of:',
      String.raw`  subgate run codex "fix \"it\""`,
      String.raw`  subgate run gemini "fix \"it\""`,
    ])
  })
})
