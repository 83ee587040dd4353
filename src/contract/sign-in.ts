/** Signing in to an agent with its own program, in a terminal: what a provider declares, and how a face offers it. Pure. */
import type { AuthMethod } from '@agentclientprotocol/sdk/unstable'
import { isRecord } from './json.ts'

/** How an agent's own program signs a person in. */
export interface SignIn {
  /** In place of the words that start it as an agent. */
  readonly args: readonly string[]
  /** Another program than the agent's own. */
  readonly program?: string
  /** What the person does there, where that isn't plain. */
  readonly note?: string
  /** Absent: whether somebody is signed in can't be seen. */
  readonly traces?: SignInTraces
}

/** What a sign-in leaves on a machine. Where none of it is there, nobody is signed in. */
export interface SignInTraces {
  /** Each of them is one; a trailing `*` matches the rest. */
  readonly variables: readonly string[]
  /** The folder that the variable names, else this one in the person's home. */
  readonly folder: { readonly variable: string; readonly name: string }
  /** Credentials in that folder. */
  readonly file: string
  /** Words of a settings file there, by which it may be signed in where that can't be seen. */
  readonly settings: { readonly file: string; readonly words: RegExp }
  /** Platforms that keep its credentials elsewhere. */
  readonly elsewhere: readonly string[]
}

/** A provider here that a person can sign in to. */
export interface SignInWay {
  readonly provider: string
  readonly title: string
}

/** Which forms of a sign-in in a terminal an editor can carry out. */
export interface TerminalSignIn {
  /** `clientCapabilities.auth.terminal`: it adds a method's words to the agent's own command. */
  readonly typed: boolean
  /** `clientCapabilities._meta["terminal-auth"]`, which is older: it runs a whole command. */
  readonly legacy: boolean
}

export const terminalSignInOf = (clientCapabilities: unknown): TerminalSignIn => {
  const { auth, _meta: meta } = isRecord(clientCapabilities) ? clientCapabilities : {}
  return {
    typed: isRecord(auth) && auth['terminal'] === true,
    legacy: isRecord(meta) && meta['terminal-auth'] === true,
  }
}

/**
 * The methods of `initialize`: one for each way, and one that asks which. None for an editor that can't carry them out:
 * some call `authenticate` with whatever stands first. `self` are the absolute words that start this program.
 */
export const signInMethods = (
  ways: readonly SignInWay[],
  { typed, legacy }: TerminalSignIn,
  self: readonly [string, ...string[]],
): AuthMethod[] => {
  if (!typed && !legacy) return []
  const method = (id: string, name: string, description: string, words: readonly string[]): AuthMethod => {
    const args = ['login', ...words]
    const [command, ...before] = self
    return {
      id,
      name,
      description,
      ...(typed && { type: 'terminal' as const, args }),
      ...(legacy && {
        _meta: { 'terminal-auth': { label: name, command, args: [...before, ...args], env: {} } },
      }),
    }
  }
  return [
    ...ways.map(({ provider, title }) =>
      method(`login-${provider}`, `Sign in to ${title}`, `Runs ${title}'s own sign-in in a terminal`, [
        provider,
      ]),
    ),
    method('login', 'Sign in to an agent', 'Asks in a terminal which agent, and runs its own sign-in', []),
  ]
}
