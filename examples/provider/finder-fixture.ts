/** What the conformance suite needs to know of the finder: how to make it, and how to bring about each situation. */
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cue, ProviderFixture } from 'subgate/conformance'
import { provider } from './finder.ts'

const looks = (text: string, more: Partial<Cue> = {}): Cue => ({
  request: () => ({ prompt: [{ type: 'text', text }] }),
  ...more,
})

export const fixture: ProviderFixture = {
  create: async ({ workspace, elsewhere }, cue) => {
    await writeFile(join(workspace, 'a.txt'), 'honey one\nhoney two\n   \n')
    await writeFile(join(elsewhere, 'b.txt'), 'honey elsewhere\n')
    // A link that leads nowhere can't be read.
    if (cue === 'fault') await symlink('/nowhere', join(elsewhere, 'c.txt'))
    return { provider, [Symbol.asyncDispose]: async () => {} }
  },
  cues: {
    answer: looks('honey'),
    sequence: looks('honey', { says: ['honey one\n', 'honey two\n'] }),
    hang: looks('follow honey'),
    silent: looks('marmalade'),
    blank: looks('   '),
    // It has found something in the first directory when it fails in the second.
    fault: {
      request: ({ elsewhere }) => ({
        prompt: [{ type: 'text', text: 'honey' }],
        additionalDirectories: [elsewhere],
      }),
    },
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
