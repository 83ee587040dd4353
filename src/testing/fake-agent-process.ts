/** The program of the fake agent: plays the script in its arguments over stdio. Needs nothing but Node. */
import { FakeAgent } from './fake-routing.ts'
import type { FakeStep } from './fake-step.ts'

await new FakeAgent(JSON.parse(process.argv.slice(2).join('') || '[]') as FakeStep[]).run()
