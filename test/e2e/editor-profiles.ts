/** How known editors speak to an agent, as data: what they send first, what they offer, and how they do it. */
import type { Rig } from './cli-rig.ts'

export interface EditorProfile {
  readonly name: string
  /** The parameters of `initialize`, as they go over the wire. */
  readonly initialize: {
    readonly protocolVersion: 1
    readonly clientInfo?: { readonly name: string; readonly title?: string; readonly version: string }
    readonly clientCapabilities: Readonly<Record<string, unknown>>
  }
  /** What its agents get of the environment of the machine. */
  readonly env: (rig: Rig) => Readonly<Record<string, string>>
  /** Written behind every message and its line end. */
  readonly behind: string
  /** It gives up a request that is not answered for so long. */
  readonly patienceMs: number
  /** With the first method of the handshake, where there is one. */
  readonly authenticates: boolean
  /** It sets what its user configured, one option after the other, each as the last answer offers it. */
  readonly setsOptions: boolean
  /** How it ends an agent: the end of its input, or the death of its process group. */
  readonly ends: 'eof' | 'kill'
}

const whole = (rig: Rig): Readonly<Record<string, string>> => rig.env

/** The folders of the test stand for what the user's configuration gives; there is no HOME. */
const pathAlone = (rig: Rig): Readonly<Record<string, string>> => {
  const { PATH = '', HOME: _home, USER: _user, LANG: _lang, ...rest } = rig.env
  return { PATH, ...rest }
}

const FILES = { readTextFile: true, writeTextFile: true }
const TWENTY_SECONDS = 20_000
const A_MINUTE = 60_000

export const ZED: EditorProfile = {
  name: 'Zed',
  initialize: {
    protocolVersion: 1,
    clientInfo: { name: 'zed', title: 'Zed', version: '1.4.2' },
    clientCapabilities: {
      fs: FILES,
      terminal: true,
      auth: { terminal: true },
      session: { configOptions: { boolean: {} } },
      elicitation: { form: {}, url: {} },
      _meta: { terminal_output: true, 'terminal-auth': true },
    },
  },
  env: whole,
  behind: '',
  patienceMs: A_MINUTE,
  authenticates: false,
  setsOptions: true,
  ends: 'kill',
}

export const CODECOMPANION: EditorProfile = {
  name: 'CodeCompanion',
  initialize: {
    protocolVersion: 1,
    clientInfo: { name: 'CodeCompanion.nvim', version: '1.0.0' },
    clientCapabilities: { fs: FILES },
  },
  env: whole,
  behind: '',
  patienceMs: TWENTY_SECONDS,
  authenticates: true,
  setsOptions: true,
  ends: 'eof',
}

export const AVANTE: EditorProfile = {
  name: 'avante',
  initialize: { protocolVersion: 1, clientCapabilities: { fs: FILES } },
  env: pathAlone,
  behind: '\n',
  patienceMs: A_MINUTE,
  authenticates: false,
  setsOptions: false,
  ends: 'kill',
}

export const OBSIDIAN: EditorProfile = {
  name: 'Obsidian',
  initialize: {
    protocolVersion: 1,
    clientInfo: { name: 'obsidian-agent-client', title: 'Agent Client for Obsidian', version: '0.9.0' },
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: true },
  },
  env: whole,
  behind: '',
  patienceMs: A_MINUTE,
  authenticates: false,
  setsOptions: false,
  ends: 'kill',
}

export const ACP_EL: EditorProfile = {
  name: 'acp.el',
  initialize: {
    protocolVersion: 1,
    clientInfo: { name: 'agent-shell', title: 'Emacs Agent Shell', version: '0.20.1' },
    clientCapabilities: { fs: FILES, elicitation: { form: {} } },
  },
  env: whole,
  behind: '',
  patienceMs: A_MINUTE,
  authenticates: false,
  setsOptions: false,
  ends: 'eof',
}

/** Closed source: what it offers isn't known, so it offers nothing here; that it knows no PATH of a shell is. */
export const JETBRAINS: EditorProfile = {
  name: 'JetBrains',
  initialize: { protocolVersion: 1, clientCapabilities: {} },
  env: (rig) => ({ ...rig.env, PATH: '/usr/bin:/bin' }),
  behind: '',
  patienceMs: A_MINUTE,
  authenticates: false,
  setsOptions: false,
  ends: 'kill',
}

export const EDITORS: readonly EditorProfile[] = [ZED, CODECOMPANION, AVANTE, OBSIDIAN, ACP_EL, JETBRAINS]
