/** What makes a requirement owed: something that the agent advertised, or that the caller gave. Pure. */
import { isRecord } from '../../contract/json.ts'
import type { AgentFacts } from './facts.ts'
import type { CheckTexts } from './options.ts'

export type GateName =
  | 'load'
  | 'resume'
  | 'list'
  | 'delete'
  | 'close'
  | 'additionalDirectories'
  | 'modes'
  | 'configOptions'
  | 'image'
  | 'audio'
  | 'embeddedContext'
  | 'authMethod'
  | 'logout'
  | 'delegation'
  | 'loadedDelegation'
  | 'behind'

export interface Gate {
  /** As the documentation and reports have it. */
  readonly words: string
  readonly open: (facts: AgentFacts, given: GivenForGates) => boolean
}

export type GivenForGates = Pick<CheckTexts, 'delegate'> & {
  readonly authMethod?: string
  readonly allowLogout: boolean
  readonly behind: boolean
}

const marker = (facts: AgentFacts, group: string, name: string): boolean => {
  const value = isRecord(facts.capabilities[group]) ? facts.capabilities[group][name] : undefined
  return value !== undefined && value !== null && value !== false
}

const session = (name: string): Gate => ({
  words: `sessionCapabilities.${name}`,
  open: (facts) => marker(facts, 'sessionCapabilities', name),
})

const content = (name: string): Gate => ({
  words: `promptCapabilities.${name}`,
  open: (facts) => marker(facts, 'promptCapabilities', name),
})

const loads = (facts: AgentFacts): boolean => facts.capabilities['loadSession'] === true

export const GATES: { readonly [N in GateName]: Gate } = {
  load: { words: 'loadSession', open: loads },
  resume: session('resume'),
  list: session('list'),
  delete: session('delete'),
  close: session('close'),
  additionalDirectories: session('additionalDirectories'),
  modes: { words: 'modes in session/new', open: ({ created }) => isRecord(created['modes']) },
  configOptions: {
    words: 'configOptions in session/new',
    open: ({ created }) => Array.isArray(created['configOptions']) && created['configOptions'].length > 0,
  },
  image: content('image'),
  audio: content('audio'),
  embeddedContext: content('embeddedContext'),
  authMethod: {
    words: '--auth-method',
    open: ({ authMethods }, { authMethod }) => authMethods.length > 0 && authMethod !== undefined,
  },
  logout: {
    words: 'auth.logout and --allow-logout',
    open: (facts, { allowLogout }) => allowLogout && marker(facts, 'auth', 'logout'),
  },
  delegation: { words: '--delegate-prompt', open: (_, { delegate }) => delegate !== undefined },
  loadedDelegation: {
    words: 'loadSession and --delegate-prompt',
    open: (facts, { delegate }) => delegate !== undefined && loads(facts),
  },
  behind: { words: '--gateway', open: (_, { behind }) => behind },
}
