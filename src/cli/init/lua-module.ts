/** The Lua module that `subgate init neovim` writes: a file of its own, as nobody's configuration can be edited safely. Pure. */
import type { EditorPlan, Wish } from './plan.ts'

const MARK = '-- Written by `subgate init neovim`, which writes it anew.'

export const LUA_MODULE: EditorPlan = {
  plan: (before, wish) => {
    const text = moduleText(wish, before)
    if (before === text) return { kind: 'same' }
    if (before === undefined || before.trim() === '' || before.startsWith(MARK))
      return { kind: 'write', text }
    const what = 'a module that subgate init did not write'
    return { kind: 'foreign', what, instead: 'Give that file another name first.', text }
  },
  entry: (wish) => moduleText(wish, undefined),
}

/** A string that any version of Lua reads back byte for byte. */
const quoted = (text: string): string =>
  `"${text.replaceAll(/["\\]/gu, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`

/** The provider stays as it was written before, unless another is asked for. */
const providerOf = ({ provider }: Wish, before: string | undefined): string | undefined =>
  provider ?? /^M\.args = .*"--provider", "([\w.-]+)" \}$/mu.exec(before ?? '')?.[1]

const moduleText = (wish: Wish, before: string | undefined): string => {
  const [command, ...words] = wish.launch
  const provider = providerOf(wish, before)
  const args = [...words, 'acp', ...(provider === undefined ? [] : ['--provider', provider])]
  return `${MARK}
local M = {}

M.command = ${quoted(command)}
M.args = { ${args.map(quoted).join(', ')} }

-- CodeCompanion: adapters = { acp = { subgate = require("subgate").codecompanion } }
function M.codecompanion()
  return require("codecompanion.adapters").extend("gemini_cli", {
    name = "subgate",
    formatted_name = ${quoted(wish.name)},
    commands = { default = vim.list_extend({ M.command }, M.args) },
    defaults = { mcpServers = {}, timeout = 20000 },
  })
end

-- avante: acp_providers = { subgate = require("subgate").avante }, provider = "subgate"
-- It starts agents with a PATH alone; agents look for their sign-in below HOME.
M.avante = {
  command = M.command,
  args = M.args,
  env = { HOME = vim.env.HOME },
}

return M
`
}
