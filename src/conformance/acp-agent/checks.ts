/** The check of each requirement that needs an agent of its own. */
import { CANCEL } from './checks/cancel.ts'
import { CHOICES } from './checks/choices.ts'
import { GATEWAY } from './checks/gateway.ts'
import { HANDSHAKE } from './checks/handshake.ts'
import { HISTORY_CHECKS } from './checks/history.ts'
import { PROMPT } from './checks/prompt.ts'
import { SUBAGENTS } from './checks/subagents.ts'
import { TRANSPORT } from './checks/transport.ts'
import type { Checks } from './scene.ts'

export const ACP_CHECKS: Checks = {
  ...TRANSPORT,
  ...HANDSHAKE,
  ...PROMPT,
  ...CANCEL,
  ...HISTORY_CHECKS,
  ...CHOICES,
  ...SUBAGENTS,
  ...GATEWAY,
}
