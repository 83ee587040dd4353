/** How Codex signs a person in, and what shows that it did. */
import type { SignIn } from '../../contract/sign-in.ts'

export const SIGN_IN: SignIn = {
  args: ['login'],
  traces: {
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    folder: { variable: 'CODEX_HOME', name: '.codex' },
    file: 'auth.json',
    // Another service, with a key of its own or none; or a keyring.
    settings: { file: 'config.toml', words: /model_provider|credentials_store/u },
    elsewhere: [],
  },
}
