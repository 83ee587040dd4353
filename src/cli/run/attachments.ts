/** Files that go with a prompt, as ACP's content: images, sounds and texts. Pure, but for the files. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'

export interface AttachmentFlags {
  readonly image?: readonly string[]
  readonly attach?: readonly string[]
}

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}
const SOUNDS: Readonly<Record<string, string>> = {
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
}

const usage = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })

const contentOf = (flag: string, file: string, cwd: string): Buffer => {
  try {
    return readFileSync(resolve(cwd, file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usage(flag, `${flag} names the file ${file}, which can't be read (${code}). Name a file that can.`)
  }
}

const encoded = (flag: string, file: string, cwd: string): string =>
  contentOf(flag, file, cwd).toString('base64')

const typeOf = (types: Readonly<Record<string, string>>, file: string): string | undefined =>
  types[extname(file).toLowerCase()]

const imageOf = (file: string, cwd: string): ContentBlock => {
  const mimeType = typeOf(IMAGES, file)
  if (mimeType !== undefined) return { type: 'image', mimeType, data: encoded('--image', file, cwd) }
  throw usage(
    '--image',
    `--image names ${file}, but it takes ${Object.keys(IMAGES).join(', ')}. For texts and sounds there is --attach.`,
  )
}

const attached = (file: string, cwd: string): ContentBlock => {
  if (typeOf(IMAGES, file) !== undefined)
    throw usage('--attach', `--attach names ${file}, which is an image. Give it by --image.`)
  const mimeType = typeOf(SOUNDS, file)
  if (mimeType !== undefined) return { type: 'audio', mimeType, data: encoded('--attach', file, cwd) }
  const bytes = contentOf('--attach', file, cwd)
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const uri = pathToFileURL(resolve(cwd, file)).href
    return { type: 'resource', resource: { uri, text: bytes.toString('utf8') } }
  }
  throw usage(
    '--attach',
    `--attach names ${file}, which is neither text nor one of ${Object.keys(SOUNDS).join(', ')}. Name its path in the prompt instead.`,
  )
}

export const attachments = (
  { image = [], attach = [] }: AttachmentFlags,
  cwd: string,
): readonly ContentBlock[] => [
  ...image.map((file) => imageOf(file, cwd)),
  ...attach.map((file) => attached(file, cwd)),
]
