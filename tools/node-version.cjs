// Loaded before the entries of package.json: an older Node would only say ERR_UNKNOWN_FILE_EXTENSION. No TypeScript
// here, and nothing newer than CommonJS.
const { needed, isTooOld } = require('./node-needed.cjs')

if (isTooOld) {
  process.stderr.write(
    `Homeport needs Node.js ${needed} or newer. This is ${process.version}. Install it, or run \`npm ci\` without --omit=dev: npm scripts then use a Node.js of their own.\n`,
  )
  process.exit(1)
}
