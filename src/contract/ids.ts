/** Opaque identities. Ours and an agent's own ids (`nativeId`) are never the same field. */

declare const brand: unique symbol

export type SessionId = string & { readonly [brand]: 'SessionId' }
export type RunId = string & { readonly [brand]: 'RunId' }
export type PermissionId = string & { readonly [brand]: 'PermissionId' }

/** The only places where a plain string becomes an id: minting, and parsing at a border. */
export const sessionId = (text: string): SessionId => text as SessionId
export const runId = (text: string): RunId => text as RunId
export const permissionId = (text: string): PermissionId => text as PermissionId
