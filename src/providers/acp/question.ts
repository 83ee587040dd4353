/** Reads an agent's permission request: strict in what an answer needs, lenient in the rest. Pure. */
import type { PermissionOption, ToolCallUpdate } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

export interface Question {
  readonly toolCall: ToolCallUpdate
  readonly options: readonly PermissionOption[]
  readonly path: readonly string[]
}

const MAX_PATH = 64
const MAX_LABEL = 200

const isOption = (value: unknown): boolean =>
  isRecord(value) && typeof value['optionId'] === 'string' && typeof value['kind'] === 'string'

/** Whose question it is, is believed of another gateway alone. */
export const readQuestion = (params: unknown, gateway: boolean): Question => {
  const fields = isRecord(params) ? params : {}
  const { toolCall, options } = fields
  if (!isRecord(toolCall) || typeof toolCall['toolCallId'] !== 'string') {
    throw new RpcError(INVALID_PARAMS, 'toolCall.toolCallId is missing')
  }
  if (!Array.isArray(options) || options.length === 0 || !options.every(isOption)) {
    throw new RpcError(
      INVALID_PARAMS,
      'options must hold at least one option, each with an optionId and a kind',
    )
  }
  const meta = isRecord(fields['_meta']) ? fields['_meta'] : {}
  const subgate = gateway && isRecord(meta['subgate']) ? meta['subgate'] : {}
  const said = Array.isArray(subgate['path']) ? subgate['path'].slice(0, MAX_PATH) : []
  const path = said.map((label) => String(label).slice(0, MAX_LABEL))
  return {
    toolCall: untitled(toolCall, path, subgate['title']),
    options: options as PermissionOption[],
    path,
  }
}

/** Another gateway writes the path into the title for people, and says in `_meta` what the title was. */
const untitled = (
  toolCall: Record<string, unknown>,
  path: readonly string[],
  original: unknown,
): ToolCallUpdate => {
  const { title: _, ...rest } = toolCall
  if (path.length === 0 || original === undefined) return toolCall as unknown as ToolCallUpdate
  return { ...rest, ...(original !== null && { title: original }) } as unknown as ToolCallUpdate
}
