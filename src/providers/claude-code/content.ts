/** ACP content as Claude Code's message content. Pure. */
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'

const blockOf = (block: ContentBlock): JsonObject => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})` }
    case 'resource':
      if ('text' in block.resource)
        return {
          type: 'text',
          text: `<resource uri="${block.resource.uri}">\n${block.resource.text}\n</resource>`,
        }
      throw refused(`The resource ${block.resource.uri} holds no text. Name it as a link.`)
    default:
      throw refused(
        `Content of the type "${block.type}" was given, but Claude Code takes text, images and embedded text.`,
      )
  }
}

const refused = (message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'prompt', message, { field: 'prompt' })

export const messageOf = (content: readonly ContentBlock[]): JsonObject[] => content.map(blockOf)
