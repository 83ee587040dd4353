/** The first words with a process of Claude Code: hooks, version, servers; or why it can't be driven. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SubagentError } from '../../contract/errors.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { introduction } from './introduction.ts'
import { exitError } from './lines.ts'
import type { ClaudeLines } from './lines.ts'
import { readGreeting, readServers } from './protocol.ts'
import type { Greeting } from './protocol.ts'
import { OLDEST, tooOld, versionOf } from './version.ts'

const POLL_MS = 50

/** What the session stands for, and what its next turn asks. */
export interface Introduced {
  readonly opened: ResolvedStartRequest
  readonly request: ResolvedStartRequest
}

/** Rejects with how the process ended where it isn't ready for a prompt. */
export const greet = async (
  name: string,
  lines: ClaudeLines,
  { opened, request }: Introduced,
  signal: AbortSignal,
): Promise<Greeting> => {
  const lost = lines.lost.then(() => Promise.reject(exitError(name, lines.process, false)))
  lost.catch(() => {})
  try {
    const answer = await Promise.race([lines.ask(introduction(opened, request), signal), lost])
    const greeting = readGreeting(answer)
    const version = versionOf(greeting.version)
    if (version === undefined || tooOld(version) || !greeting.hooked) throw mismatch(name, greeting, lines)
    const { mcpServers } = opened
    if (mcpServers.length > 0) await Promise.race([served(name, lines, mcpServers, signal), lost])
    return greeting
  } catch (error) {
    signal.throwIfAborted()
    if (SubagentError.is(error) || lines.alive) throw error
    throw exitError(name, lines.process, false)
  }
}

/** A server that was asked for is there, or there is no session. */
const served = async (
  name: string,
  lines: ClaudeLines,
  wanted: ResolvedStartRequest['mcpServers'],
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    const all = readServers(await lines.ask({ subtype: 'mcp_status' }, signal))
    const servers = wanted.map((each) => all.find((server) => server.name === each.name))
    const failed = servers.find((server) => server?.status === 'failed')
    if (failed !== undefined) {
      const why = lines.process.mask(failed.error ?? 'it gave no reason')
      const text = `${name} could not start the MCP server "${failed.name}": ${why}. Run its command by itself, or leave it out.`
      throw new SubagentError('AGENT_ERROR', 'session', text, {})
    }
    if (servers.every((server) => server?.status !== 'pending')) return
    await sleep(POLL_MS, undefined, { signal })
  }
}

const mismatch = (name: string, { version, hooked }: Greeting, { process }: ClaudeLines): SubagentError => {
  const oldest = OLDEST.join('.')
  const why = hooked
    ? `is too old to be driven here: ${oldest} is the oldest`
    : "doesn't let its host decide on each call of a tool"
  return new SubagentError(
    'PROTOCOL_MISMATCH',
    'initialize',
    `${name} ${version ?? 'of an unknown version'} ${why}. Update it: claude update`,
    { ...process.facts(), asked: OLDEST[2], answered: versionOf(version)?.[2] ?? 0 },
  )
}
