// The oldest Node.js that this package runs on, from package.json, and whether this one is older. CommonJS, for the old ones.
const [, needed] = /^>=(\d+\.\d+)$/.exec(require('../package.json').engines.node)
const [minMajor, minMinor] = needed.split('.').map(Number)
const [major, minor] = process.versions.node.split('.').map(Number)

module.exports = { needed, isTooOld: major < minMajor || (major === minMajor && minor < minMinor) }
