/** The checker of ACP agents on a real agent, and on our own face before it: against a model on loopback. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AgentProcesses } from '../../src/conformance/acp-agent/agent-processes.ts'
import { checkAcpAgent } from '../../src/conformance/acp-agent/check-agent.ts'
import type { AcpReport } from '../../src/conformance/acp-agent/report.ts'
import { MEASURED } from './acp-findings.ts'
import type { RealAgent } from './agents.ts'
import { ModelServer } from './model-server.ts'
import { Workspace } from './workspace.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/subgate.js', import.meta.url))
const PLANTED = { name: 'SUBGATE_PLANTED_API_KEY', value: 'planted-51c0aa7e' }
const KEY = 'loopback-key-7f3a9c'
const FILES = 'Look at the files.'
const LONG = 'Talk on.'

const never = new Promise<never>(() => {})

/** `face`: what an editor gets from `subgate acp` with this agent; else the agent itself. */
const commandOf = (agent: RealAgent, face: boolean): readonly [string, ...string[]] => {
  const own = [agent.command, ...(agent.args ?? [])] as const
  if (!face) return own
  const named = agent.named.flatMap((name) => ['--env', name])
  const which = agent.name === 'acp' ? ['--', ...own] : ['--provider', agent.name]
  return [process.execPath, PROGRAM, 'acp', ...named, ...which]
}

export interface Checked {
  readonly report: AcpReport
  /** What a real service would not have taken. */
  readonly refused: readonly string[]
  /** Processes that were alive at the end. */
  readonly left: readonly string[]
}

export const checkReal = async (agent: RealAgent, face: boolean): Promise<Checked> => {
  for (const file of [agent.command, ...(agent.args ?? []).filter((word) => word.startsWith('/'))])
    if (!existsSync(file)) throw new Error(`${file} is absent: npm ci --prefix test/real`)
  using workspace = new Workspace()
  await using model = await ModelServer.start(KEY)
  model.when('hello', { do: 'say', text: 'Hello.' })
  model.when(LONG, { do: 'say', text: 'Once upon a time.', until: never })
  model.when(FILES, agent.shell('ls'), { do: 'say', text: 'There are none.' })
  const own = { ...agent.configure(workspace, model.url, KEY), ...agent.asking(workspace) }
  let report: AcpReport
  {
    await using processes = new AgentProcesses({
      command: commandOf(agent, face),
      cwd: workspace.work,
      inherited: {},
      given: { ...workspace.env, ...own, [PLANTED.name]: PLANTED.value },
    })
    const check = (chosen: (id: string) => boolean): Promise<AcpReport> =>
      checkAcpAgent({
        start: () => processes.start(),
        cwd: workspace.work,
        // A loaded machine decides nothing: who doesn't answer by then never does.
        timeoutMs: 60_000,
        firstUpdateMs: 60_000,
        quietMs: 500,
        jobs: agent.name === 'acp' ? 8 : 2,
        reuse: true,
        planted: PLANTED,
        texts: { hello: 'hello', cancel: LONG, files: FILES },
        chosen: ({ id }) => chosen(id),
      })
    // What an agent told in its handshake is remembered, and an editor is promised as much from then on.
    if (face) await check((id) => id === 'ACP-PROMPT-001')
    report = await check(MEASURED)
  }
  return { report, refused: model.refused, left: workspace.live().map(({ command }) => command) }
}
