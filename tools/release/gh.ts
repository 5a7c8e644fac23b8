import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'

/** Replaces `gh` in a rehearsal: the few calls of the release workflow, against a folder and a bare repository. */

const folder = process.env['REHEARSAL'] ?? ''
const stateFile = join(folder, 'releases.json')
const releases: Record<string, { draft: boolean; assets: string[] }> = existsSync(stateFile)
  ? JSON.parse(readFileSync(stateFile, 'utf8'))
  : {}

function git(...args: string[]): string {
  const cwd = join(folder, 'remote.git')
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    draft: { type: 'string' },
    'verify-tag': { type: 'boolean' },
    title: { type: 'string' },
    'notes-file': { type: 'string' },
    'exclude-drafts': { type: 'boolean' },
    json: { type: 'string' },
    limit: { type: 'string' },
    method: { type: 'string' },
    jq: { type: 'string' },
    'raw-field': { type: 'string', short: 'f', multiple: true, default: [] },
    field: { type: 'string', short: 'F', multiple: true, default: [] },
  },
  // `--draft` alone means true.
  args: process.argv.slice(2).map(arg => (arg === '--draft' ? '--draft=true' : arg)),
})
const [command, second = '', tag = '', ...files] = positionals
const field = (name: string) =>
  values['raw-field'].find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''

if (command === 'rehearsed') {
  const tags = git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/tags').split('\n')
  process.stdout.write(JSON.stringify({ releases, tags }))
} else if (command === 'release' && second === 'create') {
  git('rev-parse', '--verify', `refs/tags/${tag}`)
  if (readFileSync(values['notes-file'] ?? '', 'utf8').trim() === '') throw new Error('The notes are empty.')
  for (const file of files) readFileSync(file)
  releases[tag] = { draft: values.draft === 'true', assets: files.map(file => basename(file)) }
} else if (command === 'release' && second === 'list') {
  const listed = Object.entries(releases).filter(([, { draft }]) => !(draft && values['exclude-drafts']))
  process.stdout.write(listed.map(([name]) => `${name}\n`).join(''))
} else if (command === 'release' && second === 'edit') {
  const release = releases[tag]
  if (!release) throw new Error(`There is no release ${tag}.`)
  release.draft = values.draft !== 'false'
} else if (command === 'api' && values.method === undefined) {
  process.stdout.write(`${git('rev-parse', `refs/tags/${basename(second)}^{commit}`)}\n`)
} else if (command === 'api' && values.method === 'PATCH') {
  const ref = `refs/tags/${basename(second)}`
  git('rev-parse', '--verify', ref)
  git('update-ref', ref, field('sha'))
} else if (command === 'api' && values.method === 'POST') {
  git('update-ref', field('ref'), field('sha'))
} else {
  throw new Error(`The rehearsal has no ${process.argv.slice(2).join(' ')}.`)
}
writeFileSync(stateFile, JSON.stringify(releases))
