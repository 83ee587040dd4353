#!/usr/bin/env node
// The launcher: checks the version in words that old versions understand, then loads the executable.
var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    'subgate needs Node.js 24 or newer, and this is ' +
      process.version +
      '. Install a newer one, or run it with: npx -y node@24 ' +
      process.argv[1] +
      '\n',
  )
  process.exit(2)
} else {
  require('../dist/bin/launch.cjs')
}
