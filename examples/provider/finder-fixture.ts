/** What the conformance suite needs to know of the finder: how to make it, and how to bring about each situation. */
import { symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cue, ProviderFixture } from '../../src/conformance/index.ts'
import { provider } from './finder.ts'

const looks = (text: string, more: Partial<Cue> = {}): Cue => ({
  request: () => ({ prompt: [{ type: 'text', text }] }),
  ...more,
})

export const fixture: ProviderFixture = {
  create: async ({ workspace, elsewhere }, cue) => {
    await writeFile(join(workspace, 'a.txt'), 'honey one\nhoney two\n   \n')
    await writeFile(join(elsewhere, 'b.txt'), 'honey elsewhere\n')
    // It comes while the finder follows, and can't be read: a fault after a first answer.
    const broken =
      cue === 'fault' ? setTimeout(() => symlinkSync('/nowhere', join(workspace, 'b.txt')), 50) : undefined
    return { provider, [Symbol.asyncDispose]: async () => clearTimeout(broken) }
  },
  cues: {
    answer: looks('honey'),
    sequence: looks('honey', { says: ['honey one\n', 'honey two\n'] }),
    hang: looks('follow honey'),
    silent: looks('marmalade'),
    blank: looks('   '),
    fault: looks('follow honey'),
    additionalDirectories: {
      request: ({ elsewhere }) => ({
        prompt: [{ type: 'text', text: 'honey' }],
        additionalDirectories: [elsewhere],
      }),
      proves: ({ result }) => result.text.includes('honey elsewhere'),
    },
  },
  deviations: {
    'result/tool-calls-only-is-empty': 'it has no tools',
    'result/refusal-is-refused': 'it has no model that could decline',
    'result/truncation-is-truncated': 'it has no limit of its own',
  },
}
