import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { html } from '../../sandbox/home-page/html.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const browse = (headers: Record<string, string> = {}, path = '/') =>
  fetch(`${sandbox.at.cloudflare.baseUrl}${path}`, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
  })

const text = async () => (await browse()).text()

/** Returns the commands under a heading of the page, unescaped for a shell. */
function commandsUnder(page: string, title: string): string {
  const [, lines = ''] = new RegExp(`<h3>${title}.*?</h3><pre[^>]*>(.*?)</pre>`, 's').exec(page) ?? []
  return lines
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

describe('the home page', () => {
  test('shows a browser the addresses and contents of the services', async () => {
    const response = await browse()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await response.text()
    const { cloudflare, control, doh, echo, nameServer } = sandbox.at
    for (const part of [
      cloudflare.apiUrl,
      cloudflare.httpsUrl,
      control,
      ...doh,
      ...echo,
      `${nameServer.host}:${nameServer.port}`,
      cloudflare.zoneId,
      'home.example.com',
      '192.0.2.10',
    ]) {
      expect(page).toContain(part)
    }
  })

  test('loads no resources, runs no scripts and cannot be framed', async () => {
    const response = await browse()
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(await response.text()).not.toMatch(/<script|<img|<link|src=|@import|url\(|\son\w+=/i)
  })

  test('escapes requests and records, and shows no credential', async () => {
    const evil = `<img src=x onerror=alert(1)>"'`
    const secret = `cfut_${'S'.repeat(40)}00000000`
    await sandbox.api('GET', `/zones/${encodeURI(evil)}?q=${evil.replaceAll(' ', '')}`, { token: secret })
    await sandbox.create({ type: 'TXT', name: 'evil', content: '<script>alert(2)</script>' })
    const page = await text()
    expect(page).not.toContain('<img')
    expect(page).not.toContain('<script>')
    expect(page).toContain('&lt;script&gt;alert(2)&lt;/script&gt;')
    expect(page).not.toContain(secret)
  })

  test('does not list its own requests', async () => {
    await sandbox.control('DELETE', '/journal')
    await text()
    expect(await sandbox.journal()).toEqual([])
    expect(await text()).toContain('No requests yet.')
  })

  test('is served to browsers only', async () => {
    expect((await browse({ accept: 'application/json' })).status).toBe(404)
    expect((await browse({}, '/client/v4/')).status).not.toBe(200)
  })

  test('shows commands that work', async () => {
    const page = await text()
    const folder = await mkdtemp(join(tmpdir(), 'landing-'))
    // Not execFileSync: the sandbox runs in this process and must stay responsive.
    async function shell(title: string) {
      const options = { cwd: folder, timeout: 20_000 }
      return (await promisify(execFile)('sh', ['-c', commandsUnder(page, title)], options)).stdout
    }
    expect(JSON.parse(await shell('curl')).result).toMatchObject([{ name: 'home.example.com' }])
    expect(JSON.parse(await shell('DNS over HTTPS')).Answer).toMatchObject([{ data: '192.0.2.10' }])
    expect(JSON.parse(await shell('Upload a Worker'))).toMatchObject({
      success: true,
      result: { id: 'hello' },
    })
    expect(await shell('Add a custom domain')).toMatch(/hello\n$/)
    const after = await text()
    expect(after).toContain('hello.example.com')
    await rm(folder, { recursive: true })
    for (const title of ['dig', 'The official SDK', 'Terraform', 'Pulumi', 'The action']) {
      expect(commandsUnder(page, title), title).not.toBe('')
    }
  })
})

test('html`` escapes text and control characters, and keeps nested HTML', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(html`<p title="${`"'&`}">${inner}${[inner, inner]}${1}${'\u0007'}</p>`.text).toBe(
    '<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>1?</p>',
  )
})
