/** Adds up test reports and says `N passed, N failed`; a failed step or a missing report counts as one failure. */
import { readFileSync } from 'node:fs'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly success: boolean
}

const [stepFailed, ...files] = process.argv.slice(2)

const counts = files.map((file) => {
  try {
    const { numPassedTests, numFailedTests, success } = JSON.parse(readFileSync(file, 'utf8')) as Report
    // A file that couldn't even be loaded fails without a failed test in it.
    return { passed: numPassedTests, failed: success ? numFailedTests : Math.max(numFailedTests, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  }
})

const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const inTests = counts.reduce((sum, count) => sum + count.failed, 0)
const failed = stepFailed === '1' && inTests === 0 ? 1 : inTests
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
