// Entry of the program. Plain JavaScript, because an older Node would only report ERR_UNKNOWN_FILE_EXTENSION.
import * as pulumi from '@pulumi/pulumi'
import nodeNeeded from '../tools/node-needed.cjs'

/** Exit status after which the engine reports nothing more (source of @pulumi/pulumi/cmd/run). */
const alreadyReported = 32

if (nodeNeeded.isTooOld) {
  // Throwing here makes the launcher of 3.259.0 spin forever on Node 20.
  await pulumi.log.error(
    `Homeport needs Node.js ${nodeNeeded.needed} or newer. This is ${process.version}. Install it, and put it first on PATH.`,
  )
  process.exit(alreadyReported)
}

const { default: outputs } = await import('./index.ts')
export default outputs
