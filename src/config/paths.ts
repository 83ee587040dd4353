/** Where Subgate's own directories are: the XDG variables where they are absolute, else below the home. */
import { isAbsolute, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

const directory =
  (variable: string, ...below: readonly string[]) =>
  (home: string, env: Env): string => {
    const base = env[variable]
    return join(base !== undefined && isAbsolute(base) ? base : join(home, ...below), 'subgate')
  }

export const configDir: (home: string, env: Env) => string = directory('XDG_CONFIG_HOME', '.config')
export const dataDir: (home: string, env: Env) => string = directory('XDG_DATA_HOME', '.local', 'share')
export const stateDir: (home: string, env: Env) => string = directory('XDG_STATE_HOME', '.local', 'state')
export const cacheDir: (home: string, env: Env) => string = directory('XDG_CACHE_HOME', '.cache')
