/** ACP content blocks as the parts of a model's user message. Pure. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { ContentBlock } from '../contract/content.ts'

export type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

const said = (text: string): UserPart => ({ type: 'text', text })

const file = (mediaType: string, data: string, filename?: string): UserPart => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data },
  ...(filename !== undefined && { filename }),
})

export const userPart = (block: ContentBlock): UserPart => {
  switch (block.type) {
    case 'text':
      return said(block.text)
    case 'image':
    case 'audio':
      return file(block.mimeType, block.data)
    case 'resource_link':
      return said(`[${block.name}](${block.uri})`)
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return said(`<resource uri="${resource.uri}">\n${resource.text}\n</resource>`)
      return file(resource.mimeType ?? 'application/octet-stream', resource.blob, resource.uri)
    }
  }
}
