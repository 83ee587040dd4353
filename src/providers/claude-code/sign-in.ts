/** How Claude Code signs a person in, and what shows that it did. */
import type { SignIn } from '../../contract/sign-in.ts'

export const SIGN_IN: SignIn = {
  args: ['auth', 'login'],
  traces: {
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_*'],
    folder: { variable: 'CLAUDE_CONFIG_DIR', name: '.claude' },
    file: '.credentials.json',
    settings: { file: 'settings.json', words: /apiKeyHelper|ANTHROPIC_|CLAUDE_CODE_/u },
    elsewhere: ['darwin'],
  },
}
