import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../bundle.ts'
import { bundleServer } from '../server.ts'
import { checkRelease } from './check.ts'
import { writeHostArchive } from './host-archive.ts'
import { prepareRelease, ReleaseError } from './prepare.ts'
import { rehearseRelease } from './rehearse.ts'

const help = `Usage: npm run release -- --check         say what the repository and this clone lack for a release; it only reads
       npm run release -- --dry-run       rehearse the release workflow on a clone, offline
       npm run release -- host            write build/homeport-host.tar.gz: what a host needs
       npm run release -- prepare TAG     rebuild, compare and collect the files of a release (the workflow runs this)

To release, set the version in package.json, describe it in CHANGELOG.md, commit, and push a tag such as v1.2.3.
docs/release.md has the steps.

Environment of --check
  GITHUB_REPOSITORY    owner/name of your repository
  GITHUB_TOKEN         a token that can read its settings
  GITHUB_API_URL       another base URL of GitHub's API
`

/** Returns the exit status. */
async function main(args: readonly string[]): Promise<number> {
  const options = {
    check: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [command, tag, ...rest] = positionals
    if (values.help) {
      print(help)
      return 0
    }
    if (values.check && command === undefined) return (await checkRelease(process.env, print)) ? 0 : 1
    if (values['dry-run'] && command === undefined) {
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
      const { releases, tags } = await rehearseRelease({ tag: `v${version}`, print })
      print('\nThis would be published:')
      for (const [name, { assets }] of Object.entries(releases)) print(`  ${name}: ${assets.join(', ')}`)
      for (const line of tags) print(`  tag ${line}`)
      return 0
    }
    if (command === 'host' && tag === undefined) {
      await bundleServer()
      await writeHostArchive()
      print('build/homeport-host.tar.gz: written. server.js, the programs, units and proxy files of a host.')
      return 0
    }
    if (command === 'prepare' && tag !== undefined && rest.length === 0) {
      await prepareRelease(tag)
      return 0
    }
  } catch (error) {
    if (error instanceof ReleaseError) {
      process.stderr.write(`${error.message}\n`)
      return 1
    }
    if (!(error instanceof TypeError && 'code' in error)) throw error
    // Node adds how to pass an argument that begins with a hyphen.
    process.stderr.write(`${error.message.split('. ')[0]}.\n\n`)
  }
  process.stderr.write(help)
  return 2
}

process.exitCode = await main(process.argv.slice(2))
