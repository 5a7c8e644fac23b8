// Loaded before the entries of package.json: an older Node would only say ERR_UNKNOWN_FILE_EXTENSION. No TypeScript
// here, and nothing newer than CommonJS. It also says why an entry is missing: .gitattributes leaves it out of archives.
const { existsSync } = require('node:fs')
const { join, relative } = require('node:path')
const { needed, isTooOld } = require('./node-needed.cjs')

if (isTooOld) {
  process.stderr.write(
    `Homeport needs Node.js ${needed} or newer. This is ${process.version}. Install it, or run \`npm ci\` without --omit=dev: npm scripts then use a Node.js of their own.\n`,
  )
  process.exit(1)
}

// The entry is the program, or what tools/start.cjs bundles.
const entry = process.argv.slice(1, 3).find(path => path.endsWith('.ts') && !existsSync(path))
if (entry !== undefined) {
  process.stderr.write(
    `${relative(join(__dirname, '..'), entry)} is not in the archive of a release, which has only what deploys. Clone the repository with git to run it.\n`,
  )
  process.exit(1)
}
