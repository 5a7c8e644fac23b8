import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tools/bundle.ts'
import { images } from '../../tools/images/images.ts'
import { type RehearsalOptions, type Rehearsed, rehearseRelease } from '../../tools/release/rehearse.ts'

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const tag = `v${version}`

async function rehearse(before: RehearsalOptions['before'] = {}): Promise<{ log: string; left: Rehearsed }> {
  const lines: string[] = []
  const left = await rehearseRelease({ tag, before, print: line => void lines.push(line) })
  return { log: lines.join('\n'), left }
}

it('fetches main beside the tag, which a checkout of one commit does not', async () => {
  const workflow = await readFile(join(root, '.github/workflows/release.yml'), 'utf8')
  expect(parse(workflow).jobs.prepare.steps[0].with).toMatchObject({ 'fetch-depth': 0 })
})

it('runs with pipefail, as the rehearsal does', async () => {
  const workflow = await readFile(join(root, '.github/workflows/release.yml'), 'utf8')
  expect(parse(workflow).defaults).toEqual({ run: { shell: 'bash' } })
})

it('attests each image and its bill of materials, also if it is rebuilt, with the credentials of the push', async () => {
  const read = async (name: string) =>
    parse(await readFile(join(root, '.github/workflows', name), 'utf8')).jobs
  const [released, rebuilt] = [(await read('release.yml')).images, (await read('rebuild-images.yml')).publish]
  const [download, push, ...attestations] = released.steps
  expect(rebuilt.steps).toEqual([download, expect.objectContaining({ id: 'push' }), ...attestations])
  expect(rebuilt.permissions).toEqual(released.permissions)
  for (const { run } of [push, rebuilt.steps[1]])
    expect(run).toContain('REGISTRY_AUTH_FILE="$HOME/.docker/config.json"')
  expect(attestations.map((step: { with: object }) => step.with)).toEqual([
    expect.not.objectContaining({ 'sbom-path': expect.anything() }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is an expression of the workflow.
    expect.objectContaining({ 'sbom-path': 'images/${{ matrix.image }}/sbom.spdx.json' }),
  ])
})

it('pushes every image', async () => {
  const { jobs } = parse(await readFile(join(root, '.github/workflows/release.yml'), 'utf8'))
  expect(jobs.images.strategy.matrix.image).toEqual(images.map(({ name }) => name))
})

describe('a rehearsed release', () => {
  it('publishes every file, and moves the tag of the major version', async () => {
    const { log, left } = await rehearse()
    const [release] = Object.values(left.releases)
    expect(Object.keys(left.releases)).toEqual([tag])
    expect(release?.draft).toBe(false)
    expect(release?.assets.toSorted()).toEqual([
      'SHA256SUMS',
      'homeport-host.tar.gz',
      'homeport.licenses.txt',
      'homeport.mjs',
      'push-worker.js',
      'push.js',
      'server.js',
      'server.licenses.txt',
      'worker.js',
      'worker.licenses.txt',
      'wrangler.toml',
    ])
    const commits = left.tags.map(line => line.split(' '))
    expect(commits.map(([name]) => name)).toEqual([tag.split('.')[0], tag])
    expect(new Set(commits.map(([, commit]) => commit)).size).toBe(1)
    expect(log).toContain('actions/attest-build-provenance: only at GitHub')
    for (const { name } of images) expect(log).toContain(`The image ${name}: only at GitHub`)
    expect(log).toContain('skopeo copy --all --preserve-digests')
    for (const { name } of images) {
      expect(log).toContain(`Every week, if it changed, the image ${name}: only at GitHub`)
    }
  })

  it.each([
    [
      'the committed bundle differs from what the source builds',
      'action/dist/index.js',
      /index\.js differs from what the source builds/,
    ],
    ['a file lies beside the committed bundle', 'action/dist/more.js', /more\.js should not be there/],
  ])('stops if %s', async (_, file, message) => {
    const change = async ({ clone }: { clone: string }) => {
      await appendFile(join(clone, file), '\n// changed\n')
      await commit(clone)
    }
    await expect(rehearse({ tag: change })).rejects.toThrow(message)
  })

  it('stops without a section in the changelog, and if package.json has another version', async () => {
    const emptied = async ({ clone }: { clone: string }) => {
      await writeFile(join(clone, 'CHANGELOG.md'), '# Changelog\n')
      await commit(clone)
    }
    await expect(rehearse({ tag: emptied })).rejects.toThrow(`CHANGELOG.md has no section "## ${version}"`)
    const renamed = async ({ clone }: { clone: string }) => {
      const text = await readFile(join(clone, 'package.json'), 'utf8')
      await writeFile(
        join(clone, 'package.json'),
        text.replace(`"version": "${version}"`, '"version": "9.9.9"'),
      )
      await commit(clone)
    }
    await expect(rehearse({ tag: renamed })).rejects.toThrow(
      `The tag is ${tag}, but package.json says 9.9.9.`,
    )
  })

  it('stops at a commit that is not on main', async () => {
    const unmerged = async ({ clone }: { clone: string }) => {
      await commit(clone)
      await git(clone, 'push', '--quiet', '--force', 'origin', 'HEAD~1:refs/heads/main')
    }
    await expect(rehearse({ tag: unmerged })).rejects.toThrow(`${tag} is not a commit of origin/main.`)
  })

  it('leaves the tag of the major version at a newer release', async () => {
    const [major = '', newer] = [tag.split('.')[0], tag.replace(/\d+$/, '99')]
    const { log, left } = await rehearse({
      publish: async ({ remote }) => {
        const first = (await git(remote, 'rev-list', '--max-parents=0', 'HEAD')).split('\n')[0] ?? ''
        await git(remote, 'update-ref', `refs/tags/${major}`, first)
        await writeFile(
          join(remote, '../releases.json'),
          JSON.stringify({ [newer]: { draft: false, assets: [] } }),
        )
      },
    })
    expect(left.releases[tag]).toMatchObject({ draft: false })
    const commits = new Map(left.tags.map(line => line.split(' ') as [string, string]))
    expect(commits.get(major)).not.toBe(commits.get(tag))
    expect(log).toContain('Move the tag of the major version')
  })

  it('stays a draft if the tag was moved meanwhile', async () => {
    const moved = async ({ clone }: { clone: string }) => {
      await commit(clone)
      await git(clone, 'push', '--quiet', '--force', 'origin', `HEAD:refs/tags/${tag}`)
    }
    await expect(rehearse({ publish: moved })).rejects.toThrow(`::error::${tag} was moved to`)
  })
})

async function commit(folder: string): Promise<void> {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  await git(folder, 'add', '--all', '--force', 'action', 'CHANGELOG.md', 'package.json')
  await git(folder, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Change')
  await git(folder, 'push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/main')
}

async function git(folder: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: folder })).stdout.trim()
}
