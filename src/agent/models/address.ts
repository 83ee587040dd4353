/** Where a model service is reached: its variables, else its own address. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { ModelProvider } from './providers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The first variable that holds something, by name; a value is read only where it is used. */
export const firstSet = (names: readonly string[], env: Environment): string | undefined =>
  names.find((name) => (env[name] ?? '').trim() !== '')

const refuse = (message: string): never => {
  throw new SubagentError('INVALID_REQUEST', 'resolve', message, { field: 'model' })
}

/** A value is never shown: an address may carry a password. */
const parsed = (value: string, variable: string): URL => {
  const url = URL.parse(/^[a-z]+:\/\//iu.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/u.test(url.protocol))
    return refuse(`${variable} is no http address. Set it to one such as http://127.0.0.1:8080/v1.`)
  if (url.username !== '' || url.password !== '')
    return refuse(
      `${variable} holds a user name or password, which is not sent. Leave it out, and set a key.`,
    )
  return url
}

/** An address without a path gets the one that the service has by default. */
export const baseUrlOf = (provider: ModelProvider, env: Environment): string => {
  const variable = firstSet(provider.baseUrls, env)
  if (variable === undefined) {
    const names = provider.baseUrls.join(' or ')
    return provider.baseUrl ?? refuse(`${provider.name} has no address here. Set ${names} to its base URL.`)
  }
  const url = parsed((env[variable] ?? '').trim(), variable)
  const path = url.pathname.replace(/\/+$/u, '')
  return url.origin + (path === '' ? new URL(provider.baseUrl ?? 'http://host/v1').pathname : path)
}
