/** How Claude Code signs a person in. */
import type { SignIn } from '../../contract/sign-in.ts'

export const SIGN_IN: SignIn = { args: ['auth', 'login'] }
