// Starts what ships: the bundle of an entry, which is built first unless it was made from the present sources and lockfile.
// No TypeScript here: removing types would cost more than the rest of the start.
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')

/** What builds each bundle: a function of a module in tools/; and the bundle's path. */
const builders = {
  server: ['server.ts', 'bundleServer', 'server.js'],
  push: ['push.ts', 'bundlePush', 'push.js'],
  // For tests. Users run action/dist.
  action: ['bundle.ts', 'bundlePresentAction', 'action/index.js'],
}

function digest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function isFresh(bundle) {
  try {
    const record = JSON.parse(readFileSync(bundle.replace(/\.m?js$/, '.inputs.json'), 'utf8'))
    const made = Object.entries(record.inputs).every(([path, sha256]) => digest(join(root, path)) === sha256)
    return made && digest(bundle) === record.bundle
  } catch {
    return false
  }
}

/** Returns the path of a bundle, `server`, `push` or `action`. Builds it if it is missing or older than what it is made from. */
function freshBundle(name, folder = join(root, 'build')) {
  const [file, builder, path] = builders[name]
  const bundle = join(folder, path)
  if (isFresh(bundle)) return bundle
  const script = `import(${JSON.stringify(join(__dirname, file))}).then(tool => tool.${builder}(${JSON.stringify(bundle)}))`
  const { status } = spawnSync(process.execPath, ['--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`${bundle} could not be built.`)
  return bundle
}

module.exports = { freshBundle }

if (require.main === module) {
  require('./node-version.cjs')
  const [node, , entry, ...args] = process.argv
  // Of the endpoint's commands, only the server is started often enough to be worth a build.
  const isServer = entry !== 'push/cli.ts' || args[0] === 'serve'
  const program = isServer ? freshBundle(entry === 'push/cli.ts' ? 'push' : 'server') : join(root, entry)
  process.argv = [node, program, ...args]
  require(program)
}
