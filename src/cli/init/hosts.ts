/** The editors that `subgate init` knows, as data: a new one is one entry. Pure. */
import { isAbsolute, join } from 'node:path'
import { agentServers } from './agent-servers.ts'
import { LUA_MODULE } from './lua-module.ts'
import type { EditorPlan } from './plan.ts'

/** What decides where an editor keeps its configuration. */
export interface Machine {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

export interface Place {
  /** The file with the entry. */
  readonly file: string
  /** Folders of which each shows that the editor is used here. */
  readonly signs: readonly string[]
}

export interface EditorHost extends EditorPlan {
  readonly name: string
  readonly title: string
  /** Of which each on PATH shows that it is installed. */
  readonly programs: readonly string[]
  /** The usual one first. */
  readonly places: (machine: Machine) => readonly Place[]
  /** What is left for the person. */
  readonly next: string
}

const beside = (folder: string, ...file: readonly string[]): Place => ({
  file: join(folder, ...file),
  signs: [folder],
})

const xdgConfig = ({ home, env }: Machine): string => {
  const given = env['XDG_CONFIG_HOME']
  return given !== undefined && isAbsolute(given) ? given : join(home, '.config')
}

/** macOS has no XDG folders; Flatpak has a tree of its own for each application. */
const zedPlaces = (machine: Machine): readonly Place[] => {
  if (machine.platform === 'darwin') return [beside(join(machine.home, '.config/zed'), 'settings.json')]
  return [
    beside(join(xdgConfig(machine), 'zed'), 'settings.json'),
    beside(join(machine.home, '.var/app/dev.zed.Zed/config/zed'), 'settings.json'),
  ]
}

const jetbrainsPlaces = (machine: Machine): readonly Place[] => {
  const products =
    machine.platform === 'darwin' ? join(machine.home, 'Library/Application Support') : xdgConfig(machine)
  const folder = join(machine.home, '.jetbrains')
  return [{ file: join(folder, 'acp.json'), signs: [folder, join(products, 'JetBrains')] }]
}

export const EDITOR_HOSTS: readonly EditorHost[] = [
  {
    name: 'zed',
    title: 'Zed',
    programs: ['zed', 'zeditor'],
    places: zedPlaces,
    next: 'Open the agent panel and choose it in the new-thread menu.',
    ...agentServers({ fixed: { type: 'custom' }, path: false }),
  },
  {
    name: 'jetbrains',
    title: 'JetBrains IDEs',
    programs: [
      'idea',
      'pycharm',
      'webstorm',
      'goland',
      'clion',
      'rider',
      'phpstorm',
      'rubymine',
      'rustrover',
    ],
    places: jetbrainsPlaces,
    next: 'Open the AI chat and choose it in the list of agents.',
    ...agentServers({ fixed: {}, path: true }),
  },
  {
    name: 'neovim',
    title: 'Neovim',
    programs: ['nvim'],
    places: (machine) => [
      beside(join(xdgConfig(machine), machine.env['NVIM_APPNAME'] ?? 'nvim'), 'lua/subgate.lua'),
    ],
    next: [
      'Then name it in your own configuration:',
      '  CodeCompanion   adapters = { acp = { subgate = require("subgate").codecompanion } }',
      '  avante          acp_providers = { subgate = require("subgate").avante }, provider = "subgate"',
    ].join('\n'),
    ...LUA_MODULE,
  },
]
