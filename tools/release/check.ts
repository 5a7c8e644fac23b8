import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isSecure } from '../../lib/url.ts'
import { root } from '../bundle.ts'
import { images } from '../images/images.ts'
import { ReleaseError } from './prepare.ts'
import { checkClone, checkRepository, type Get, reportOf } from './repository-check.ts'

const timeoutMs = 20_000
const maxBytes = 1024 * 1024

/**
 * Prints what a release of this clone still needs, and changes nothing. Returns whether nothing is missing.
 * @throws ReleaseError if the environment names no repository, no token, or an address that is not safe
 */
export async function checkRelease(env: NodeJS.ProcessEnv, print: (text: string) => void): Promise<boolean> {
  const repository = env['GITHUB_REPOSITORY'] ?? ''
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw new ReleaseError(
      'GITHUB_REPOSITORY is not set, or is not owner/name. Set it: export GITHUB_REPOSITORY=YOU/homeport',
    )
  const token = env['GITHUB_TOKEN']
  if (!token) throw new ReleaseError('GITHUB_TOKEN is not set. Set it: export GITHUB_TOKEN=$(gh auth token)')
  const api = URL.parse(env['GITHUB_API_URL'] || 'https://api.github.com')
  if (!api || !isSecure(api))
    throw new ReleaseError('GITHUB_API_URL is not an https URL. Only loopback addresses may use http.')

  const get: Get = async path => {
    try {
      const response = await fetch(`${api.href.replace(/\/+$/, '')}${path}`, {
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/vnd.github+json',
          'user-agent': 'homeport',
        },
        // The token must not reach another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, body: text.length > maxBytes ? null : parsed(text) }
    } catch {
      return null
    }
  }
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const clone = {
    version: String(JSON.parse(await read('package.json')).version),
    changelog: await read('CHANGELOG.md'),
    placeholders: await filesWithoutOwner(),
    today: new Date().toISOString().slice(0, 10),
    actionName: /^name: *'?([^'\n]+)/m.exec(await read('action.yml'))?.[1] ?? 'Homeport',
  }
  const [owner = ''] = repository.split('/')
  const requirements = [
    ...checkClone(clone, owner),
    ...(await checkRepository(
      get,
      repository,
      clone.actionName,
      images.map(({ name }) => name),
    )),
  ]
  print(reportOf(requirements))
  return requirements.every(({ state }) => state !== 'missing')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function filesWithoutOwner(): Promise<readonly string[]> {
  const args = ['grep', '-l', 'OWNER/homeport', '--', '.', ':!test', ':!tools/release']
  // Exits with 1 if there is none.
  const { stdout } = await promisify(execFile)('git', args, { cwd: root }).catch(() => ({ stdout: '' }))
  return stdout
    .trim()
    .split('\n')
    .filter(name => name !== '')
}
