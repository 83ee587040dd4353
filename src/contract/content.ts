/** ACP's own words for content, updates and permissions, under the names the gateway uses. */
import type * as acp from '@agentclientprotocol/sdk/unstable'

export type ContentBlock = acp.ContentBlock
export type McpServer = acp.McpServer
export type ToolKind = acp.ToolKind
export type ToolCallContent = acp.ToolCallContent
export type ToolCallLocation = acp.ToolCallLocation
export type PermissionOption = acp.PermissionOption
export type PermissionOptionKind = acp.PermissionOptionKind
export type PermissionOutcome = acp.RequestPermissionOutcome
export type ToolCallUpdate = acp.ToolCallUpdate

/** A `session/update` payload, as the agent sent it. Kinds and fields unknown to us pass untouched. */
export type SessionUpdate = acp.SessionUpdate | UnknownUpdate
export interface UnknownUpdate {
  readonly sessionUpdate: string
  readonly [field: string]: unknown
}

/** Narrows to one of ACP's known kinds by its discriminator; unknown kinds never match. */
export const isUpdate = <K extends acp.SessionUpdate['sessionUpdate']>(
  update: SessionUpdate,
  kind: K,
): update is Extract<acp.SessionUpdate, { sessionUpdate: K }> => update.sessionUpdate === kind

export const text = (value: string): ContentBlock => ({ type: 'text', text: value })
