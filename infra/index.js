// Entry of the program. Plain JavaScript, because an older Node would only report ERR_UNKNOWN_FILE_EXTENSION.
import { readFileSync } from 'node:fs'
import * as pulumi from '@pulumi/pulumi'

/** Exit status after which the engine reports nothing more (source of @pulumi/pulumi/cmd/run). */
const alreadyReported = 32

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = Number(/\d+/.exec(engines.node)[0])

if (Number(process.versions.node.split('.')[0]) < needed) {
  // Throwing here makes the launcher of 3.259.0 spin forever on Node 20.
  await pulumi.log.error(
    `Homeport needs Node.js ${needed} or newer. This is ${process.version}. Install it, and put it first on PATH.`,
  )
  process.exit(alreadyReported)
}

export default await import('./index.ts')
