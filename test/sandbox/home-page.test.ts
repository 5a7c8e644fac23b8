import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox({
  entra: { redirectUris: ['http://localhost:8080/auth/callback'] },
  github: true,
})

const browse = (headers: Record<string, string> = {}, path = '/') =>
  fetch(`${sandbox.at.cloudflare.baseUrl}${path}`, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
  })

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** Returns the text of the page, as a browser shows it. */
const text = async () =>
  (await (await browse()).text())
    .replace(/^.*<pre>|<\/pre>.*$/gs, '')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, entity => entities[entity] ?? '')

/** Returns every text of the description. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe('the home page', () => {
  it('lists for a browser how to connect, and what the services hold', async () => {
    const response = await browse()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toMatch(/<html lang="en">.*<title>.*<main>\s*<h1>/s)
    const page = await text()
    const { cloudflare, control, doh, echo, entra, github } = sandbox.at
    if (entra === undefined || github === undefined) throw new Error('A service did not start.')
    const users = entra.users.map(({ userPrincipalName, id }) => [userPrincipalName, id])
    for (const part of textsIn([
      [cloudflare.apiUrl, cloudflare.zoneId, cloudflare.dnsToken, cloudflare.adminToken],
      [entra.clientId, entra.clientSecret, entra.instance, entra.graphUrl, users],
      [control, doh, echo, github.baseUrl, github.token],
      'home.example.com  192.0.2.10',
    ])) {
      expect(page).toContain(part)
    }
  })

  it('shows requests and records without control characters, and no credential', async () => {
    const secret = `cfut_${'S'.repeat(40)}00000000`
    await sandbox.api('GET', '/zones/%1b%5b2J', { token: secret })
    await sandbox.create({ type: 'TXT', name: 'evil', content: 'a\u001b[2Jb' })
    const page = await text()
    expect(page).toMatch(/TXT {4}evil\.example\.com {2}.*a\?\[2Jb/)
    expect(page.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(page).not.toContain(secret)
  })

  it('does not list its own requests', async () => {
    await sandbox.control('DELETE', '/journal')
    await text()
    expect(await sandbox.journal()).toEqual([])
    expect(await text()).not.toContain('Requests')
  })

  it('is served to browsers only', async () => {
    expect((await browse({ accept: 'application/json' })).status).toBe(404)
    expect((await browse({}, '/client/v4/')).status).not.toBe(200)
  })

  // The page's commands use it, as people do.
  const hasCurl = spawnSync('curl', ['--version']).status === 0

  it.skipIf(!hasCurl)(`shows commands that work${hasCurl ? '' : ' (curl is not installed)'}`, async () => {
    const [, command = ''] = /^List the record\n +(curl .*)$/m.exec(await text()) ?? []
    // Not execFileSync: the sandbox runs in this process and must stay responsive.
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 20_000 })
    expect(JSON.parse(stdout).result).toMatchObject([{ name: 'home.example.com' }])
  })
})
