/** The entry of the executable: loads its files with the code that was kept of them. */
import { isAbsolute, join } from 'node:path'
import { cacheDir } from '../config/paths.ts'
import { Bundle } from './bundle.ts'
import { CodeCache } from './code-cache.ts'

/** A hash of all files of the executable; the build sets it. */
declare const BUILD: string

/** Node's own switches hold: `NODE_DISABLE_COMPILE_CACHE`, and `NODE_COMPILE_CACHE` for another folder. */
const cacheFolder = (env: NodeJS.ProcessEnv): string | undefined => {
  if (env['NODE_DISABLE_COMPILE_CACHE'] === '1') return undefined
  const named = env['NODE_COMPILE_CACHE']
  if (named !== undefined && isAbsolute(named)) return join(named, 'subgate')
  const home = env['HOME'] ?? env['USERPROFILE']
  return home !== undefined && isAbsolute(home) ? join(cacheDir(home, env), 'code') : undefined
}

/** Commands differ in what they use. */
const commandIn = ([, , word = '']: readonly string[]): string =>
  /^[a-z]{1,20}$/u.test(word) ? word : 'other'

const folder = cacheFolder(process.env)
const version = `${BUILD}-${process.version}-${process.arch}`
const cache = folder && new CodeCache(join(folder, version, commandIn(process.argv)))
const bundle = new Bundle(__dirname, cache || undefined)
// What failed has used less than what goes well, and a signal doesn't wait.
process.once('exit', (code) => {
  if (code === 0) bundle.keep()
})
bundle.require('./main.js')
