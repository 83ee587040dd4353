/** A call's title for people. */
import type { Arguments } from '../tool-arguments.ts'
import type { Tool } from './tool.ts'

/** The input isn't checked yet when a call is announced, so a title that can't be made is the tool's name. */
export const titleOf = (tool: Tool, args: Arguments): string => {
  if (tool.title === undefined || !('input' in args)) return tool.name
  try {
    const title: unknown = tool.title(args.input)
    return typeof title === 'string' && title !== '' ? title : tool.name
  } catch {
    return tool.name
  }
}
