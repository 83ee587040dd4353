/** Starts the example agent on stdio: `node examples/agent/main.ts [--require-login]`. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
// Stdout belongs to the protocol.
console.log = console.info = console.debug = console.error

const { serve } = await import('./agent.ts')
await serve({ requireLogin: process.argv.includes('--require-login') })
process.exit(0)
