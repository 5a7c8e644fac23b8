import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from './bundle.ts'

const run = promisify(execFile)

/** What a release consists of: each asset's name, and the file that it comes from after `npm run build`. */
const assets: Readonly<Record<string, string>> = {
  'homeport.mjs': 'action/dist/index.js',
  'homeport.licenses.txt': 'action/dist/licenses.txt',
  'push.js': 'build/push.js',
  'push-worker.js': 'build/push-worker.js',
  'wrangler.toml': 'docs/push/wrangler.toml',
  'clock-worker.js': 'build/clock-worker.js',
  'clock.toml': 'docs/push/clock.toml',
  'server.js': 'build/server.js',
  'server.licenses.txt': 'build/server.licenses.txt',
  'worker.js': 'build/worker.js',
  'worker.licenses.txt': 'build/worker.licenses.txt',
}

/** The files of a host: the programs, their units, and what people copy for their proxy. */
const hostFiles = [
  'LICENSE',
  'build/server.js',
  'build/server.licenses.txt',
  'docs/command/homeport.service',
  'docs/command/homeport.timer',
  'docs/proxies/Caddyfile',
  'docs/proxies/Caddyfile-host',
  'docs/proxies/Caddyfile-push',
  'docs/proxies/nginx-host.conf',
  'docs/proxies/nginx-push.conf',
  'docs/proxies/nginx.conf',
  'docs/proxies/traefik-routes.yml',
  'docs/proxies/traefik.yml',
  'docs/sign-in/homeport-sign-in.service',
]

/** Returns a version's section of CHANGELOG.md without its heading, or null if there is none or it is empty. */
export function changelogSection(changelog: string, version: string): string | null {
  const lines = changelog.split('\n')
  const start = lines.findIndex(line => line === `## ${version}` || line.startsWith(`## ${version} `))
  if (start < 0) return null
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  return (
    lines
      .slice(start + 1, end < 0 ? undefined : end)
      .join('\n')
      .trim() || null
  )
}

/**
 * Returns what keeps the checked-out commit from being released under a tag. Users fetch the tag, and only main is reviewed.
 * @param folder a clone that has fetched `origin/main`
 */
export async function releaseProblems(tag: string, folder = root): Promise<readonly string[]> {
  const git = (...args: string[]) => run('git', args, { cwd: folder }).then(({ stdout }) => stdout.trim())
  const succeeds = (...args: string[]) =>
    git(...args).then(
      () => true,
      () => false,
    )
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8')
  const head = await git('rev-parse', 'HEAD')
  const tagged = await git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`).catch(
    () => 'missing',
  )
  const problems = [
    [/^v\d+\.\d+\.\d+$/.test(tag), `The tag is ${JSON.stringify(tag)}. Use the form v1.2.3.`],
    [
      tag === `v${version}`,
      `The tag is ${tag}, but package.json says ${version}. Set the version, commit, and tag that commit.`,
    ],
    [
      changelogSection(changelog, version) !== null,
      `CHANGELOG.md has no section "## ${version}". Describe what users will notice.`,
    ],
    [tagged === head, `The tag ${tag} is ${tagged}, but ${head} is checked out. Check out the tag.`],
    [
      await succeeds('merge-base', '--is-ancestor', 'HEAD', 'refs/remotes/origin/main'),
      `${tag} is not a commit of origin/main. Merge it into main, then tag it there.`,
    ],
  ] as const
  return problems.flatMap(([holds, problem]) => (holds ? [] : [problem]))
}

/** Writes the archive of what a host needs, in a folder `homeport-host`. The same files make the same archive, with GNU tar. */
export async function writeHostArchive(
  outfile: string,
  server = join(root, 'build/server.js'),
): Promise<void> {
  const folder = `${outfile}.files`
  const files = join(folder, 'homeport-host')
  await rm(folder, { recursive: true, force: true })
  await mkdir(files, { recursive: true })
  const licences = server.replace(/\.js$/, '.licenses.txt')
  const built: Readonly<Record<string, string>> = { 'server.js': server, 'server.licenses.txt': licences }
  for (const file of hostFiles)
    await copyFile(built[basename(file)] ?? join(root, file), join(files, basename(file)))
  for (const name of ['homeport.mjs', 'homeport.licenses.txt']) {
    await copyFile(join(root, assets[name] ?? ''), join(files, name))
  }
  for (const name of await readdir(files))
    await chmod(join(files, name), /\.m?js$/.test(name) ? 0o755 : 0o644)
  await chmod(files, 0o755)
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  await run('tar', [
    '--sort=name',
    '--mtime=@0',
    ...owner,
    '--gzip',
    '-cf',
    outfile,
    '-C',
    folder,
    'homeport-host',
  ])
  await rm(folder, { recursive: true })
}

/** Writes what is released to `build/release`: `assets/`, SHA256SUMS and notes.md. `npm run build` comes first. */
async function prepare(): Promise<void> {
  const folder = join(root, 'build/release')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeHostArchive(join(folder, 'assets/homeport-host.tar.gz'))
  for (const [name, file] of Object.entries(assets))
    await copyFile(join(root, file), join(folder, 'assets', name))
  const sums = (await readdir(join(folder, 'assets'))).toSorted().map(async name => {
    const content = await readFile(join(folder, 'assets', name))
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`
  })
  await writeFile(join(folder, 'SHA256SUMS'), (await Promise.all(sums)).join(''))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const notes = changelogSection(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  await writeFile(join(folder, 'notes.md'), `${notes ?? ''}\n`)
}

/**
 * Writes the repository that the marketplace lists: the action without its source, which a runner downloads alone.
 * Leaves a `.git` in the folder alone, so that the folder can be a clone.
 */
async function writeAction(folder: string): Promise<void> {
  await mkdir(join(folder, 'action'), { recursive: true })
  await rm(join(folder, 'action/dist'), { recursive: true, force: true })
  await cp(join(root, 'action/dist'), join(folder, 'action/dist'), { recursive: true })
  for (const name of ['action.yml', 'LICENSE']) await copyFile(join(root, name), join(folder, name))
  await copyFile(join(root, 'action/README.md'), join(folder, 'README.md'))
}

const usage = `Usage: npm run release -- check TAG   say what keeps the checked-out commit from being released under a tag
       npm run release -- prepare     collect the files of a release in build/release, after npm run build
       npm run release -- host        write build/homeport-host.tar.gz: what a host needs, after npm run build
       npm run release -- action DIR  write the action's own repository to DIR, for the marketplace, after npm run build

The release workflow runs the first two. docs/development/release.md describes how to release.
`

/** Returns the exit status. */
async function main([command = '', argument, ...rest]: readonly string[]): Promise<number> {
  if (command === 'check' && argument !== undefined && rest.length === 0) {
    const problems = await releaseProblems(argument)
    for (const problem of problems) process.stderr.write(`${problem}\n`)
    return problems.length === 0 ? 0 : 1
  }
  if (['prepare', 'host'].includes(command) && !existsSync(join(root, 'build/server.js'))) {
    process.stderr.write('build/server.js is missing. Run `npm run build` first.\n')
    return 1
  }
  if (command === 'prepare' && argument === undefined) {
    await prepare()
    return 0
  }
  if (command === 'host' && argument === undefined) {
    const archive = 'build/homeport-host.tar.gz'
    await writeHostArchive(join(root, archive))
    process.stdout.write(`${archive}: written.\n`)
    return 0
  }
  if (command === 'action' && argument !== undefined && rest.length === 0) {
    await writeAction(argument)
    return 0
  }
  process.stderr.write(usage)
  return 2
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.slice(2))
}
