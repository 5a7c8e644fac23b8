import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { refuseProduction, removeLeft } from '../real/accounts.ts'
import { type Double, openDouble } from '../real/double.ts'
import { createMask, leakIn } from '../real/mask.ts'
import { type Exchange, exchange, namesIn, record, rootsOf, writeRecording } from '../real/recording.ts'
import { replay, replayFolder } from '../real/replay.ts'
import { play, runScenarios, type Scenario, scenarios } from '../real/scenarios.ts'
import { listen } from '../support/listen.ts'
import { ask, askOrThrow, createUserToken, graphToken } from '../support/services.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let real: Double
let double: Double
beforeAll(async () => {
  real = await openDouble(2)
  double = await openDouble(1)
})
afterAll(() => Promise.all([real.close(), double.close()]))

let two: Promise<readonly Exchange[]> | undefined
/** Records a scenario once. */
const recordTwo = () =>
  (two ??= play(real.accounts, named('two records')[0] as Scenario).then(async said => {
    await removeLeft(real.accounts)
    return createMask(namesIn(real.accounts))(said)
  }))
const named = (name: string) => scenarios.filter(one => one.name === name)

/** Forty values of somebody: secrets that the mask is told, and what only looks like one, an e-mail or an address. */
const told = Array.from({ length: 10 }, (_, at) => `s3cr~t/${at}"q+${'ab'.repeat(at)}=`)
const planted = [
  ...told,
  ...Array.from({ length: 5 }, (_, at) => `cfut_${'Ab1'.repeat(13)}${at}0123abcd`),
  ...Array.from({ length: 5 }, (_, at) => `eyJhbGciOiJub25lIn0.eyJzdWIiOiI${at}In0.c2lnbmF0dXJl${at}`),
  ...Array.from({ length: 8 }, (_, at) => `person.${at}@company${at}.example`),
  ...Array.from({ length: 8 }, (_, at) => `${at + 20}.34.56.${at + 78}`),
  ...Array.from({ length: 4 }, (_, at) => `2a02:1234:${at + 1}::7`),
]

const inForm = (value: string) => new URLSearchParams([['', value]]).toString().slice(1)

describe('a recording', { concurrent: false }, () => {
  it('has nothing of somebody, wherever it was: bodies, headers, URLs and errors', async () => {
    expect(planted).toHaveLength(40)
    const places = (value: string) => ({
      service: 'cloudflare' as const,
      request: `GET /path/${encodeURIComponent(value)}?q=${encodeURIComponent(value)}`,
      headers: { authorization: `Bearer ${value}`, cookie: `Basic ${btoa(`user:${value}`)}` },
      sent: `${JSON.stringify({ text: `before ${value} after`, list: [value] })}\n${inForm(value)}`,
      answer: {
        status: 400,
        codes: [`message with ${value}`],
        body: { errors: [{ message: `not ${value}` }], value },
        headers: { location: { to: `https://user:${encodeURIComponent(value)}@example.com/` } },
      },
    })
    const known = Object.fromEntries(told.map((value, at) => [`told${'x'.repeat(at)}`, value]))
    const folder = temporaryFolder()
    await writeRecording(folder, { name: 'planted', exchanges: planted.map(places) }, known)
    const text = await readFile(join(folder, 'planted.json'), 'utf8')
    const forms = planted.flatMap(value => [
      ...[value, encodeURIComponent(value), inForm(value), JSON.stringify(value).slice(1, -1)],
      ...(told.includes(value) ? [btoa(`user:${value}`).slice(8, -4)] : []),
    ])
    expect(forms.filter(form => text.includes(form))).toEqual([])
  })

  it.each([
    ['the token', 'x s3cret-value y'],
    ['an e-mail', 'a@company.example'],
    ['a public address', '8.8.8.8'],
    ['what looks like a token', 'A1'.repeat(20)],
  ])('is not written with %s', async (what, text) => {
    // The scan reads the written text, so no answer is needed, and the type needs a cast.
    const exchanges = [{ service: '', request: '', headers: {}, sent: text } as unknown as Exchange]
    const folder = temporaryFolder()
    const written = writeRecording(folder, { name: 'leak', exchanges }, { token: 's3cret-value' }, one => one)
    await expect(written).rejects.toThrow(`it still has ${what}`)
    expect(await readdir(folder)).toEqual([])
    expect(leakIn('<id 1> 192.0.2.1', { token: 's3cret-value' })).toBeNull()
  })

  it('of the double is answered alike by another double', async () => {
    const folder = temporaryFolder()
    const lines: string[] = []
    const list = scenarios.filter(({ name }) =>
      /^changed|^two records|CNAME|does not exist|dot|may not list/.test(name),
    )
    expect(await runScenarios(real.accounts, line => lines.push(line), folder, list)).toBe(0)
    expect(lines.map(line => line.slice(0, 7))).toEqual(list.map(() => 'same   '))
    const text = await readFile(join(folder, 'two-records.json'), 'utf8')
    expect(text).toContain('homeport-check-names.<zone name>')
  })

  it.each([
    ['status', '"status":200', '"status":202', /\/status/],
    ['code', '"codes":[]', '"codes":[81057]', /\/codes/],
    ['field', '"ttl":120', '"ttl":300', /\/ttl: 120 instead of 300/],
    ['type of a field', '"tags":[]', '"tags":null', /\/tags/],
    ['list of fields', '"proxiable":true,', '', /\/proxiable/],
    [
      'header',
      '"headers":{"content-type":"application/json"}',
      '"headers":{"retry-after":"7"}',
      /retry-after/,
    ],
    ['order', '192.0.2.10', '192.0.2.11', /\/content/],
  ])('that has another %s differs', async (_, from, to, said) => {
    const exchanges = await recordTwo()
    const changed = exchanges.map((one): Exchange => {
      const text = JSON.stringify(one)
      if (!one.request.startsWith('GET') || !text.includes('dns_records')) return one
      const swapped =
        from === '192.0.2.10' ? text.replace(to, 'other').replace(from, to).replace('other', from) : null
      return JSON.parse(swapped ?? text.replace(from, to))
    })
    double.reset()
    expect(await replay(exchanges, double)).toEqual([])
    double.reset()
    expect((await replay(changed, double)).join('\n')).toMatch(said)
  })

  it.each([
    ['cloudflare', 'GET', '/client/v4/zones', { errors: [{ code: 9999 }] }],
    [
      'entra',
      'GET',
      '/organizations/v2.0/.well-known/openid-configuration',
      { status: 418, errors: [{ code: 90002 }] },
    ],
    ['graph', 'GET', '/v1.0/me', { errors: [{ code: 'Forbidden' }] }],
    [
      'github',
      'POST',
      '/repos/homeport/homeport/actions/workflows/reconcile.yml/dispatches',
      { errors: [{ message: 'No' }] },
    ],
  ] as const)('finds that %s answers otherwise', async (service, method, path, planted) => {
    const { said, roots, close } = await record(real.accounts)
    await exchange({ method, url: roots[service] + path, headers: { 'user-agent': 'homeport' } })
    close()
    const masked = createMask(namesIn(real.accounts))(said)
    const again = () => replay(masked, double)
    expect(await again()).toEqual([])
    double.control.setFaults([{ match: { service }, answer: { kind: 'errors', ...planted } }])
    expect(await again()).not.toEqual([])
    double.control.setFaults([])
  })

  it('that is older than a year gets a warning', async () => {
    const folder = temporaryFolder()
    await writeFile(
      join(folder, 'old.json'),
      JSON.stringify({ recorded: '2020-01-01', name: 'old', exchanges: [] }),
    )
    const lines: string[] = []
    await replayFolder(folder, line => lines.push(line), Date.parse('2020-12-31'))
    expect(lines).toEqual(['same    old'])
    await replayFolder(folder, line => lines.push(line), Date.parse('2021-01-03'))
    expect(lines[1]).toBe('warning "old" was recorded on 2020-01-01, more than a year ago. Record it again.')
  })
})

it('of the real services is answered alike, and until there is one, the page says so', async () => {
  const folder = join(root, 'test/real/recordings')
  const isThere = existsSync(folder)
  const page = await readFile(join(root, 'docs/development/sandbox.md'), 'utf8')
  expect(page.includes('Nothing in it was compared with the real services')).toBe(!isThere)
  const lines: string[] = []
  if (isThere) await replayFolder(folder, line => lines.push(line))
  expect(lines.filter(line => line.startsWith('differs'))).toEqual([])
})

describe('before the first write', { concurrent: false }, () => {
  const withToken = (adminToken: string) => ({
    ...real.accounts,
    cloudflare: { ...real.accounts.cloudflare, adminToken },
  })
  const writes = () =>
    real.control.journal().filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))

  it('a token that sees another zone is refused', async () => {
    real.control.clearJournal()
    const refused = refuseProduction(withToken(real.description.cloudflare.adminToken), false)
    await expect(refused).rejects.toThrow(/another zone, "other\.example"/)
    expect(writes()).toEqual([])
  })

  it('a token that may create tokens is refused', async () => {
    const { cloudflare: at } = real.description
    const { value } = await createUserToken(at, 'wide', [
      [`com.cloudflare.api.account.zone.${at.zoneId}`, 'DNS Write', 'Zone Read'],
      ['com.cloudflare.api.user.*', 'API Tokens Write'],
    ])
    await expect(refuseProduction(withToken(value), false)).rejects.toThrow(/may read or create tokens/)
  })

  it('a zone with a record of somebody is refused', async () => {
    const { zoneId, zoneName } = real.accounts.cloudflare
    const record = { type: 'TXT', name: `mail.${zoneName}`, content: 'of somebody' }
    real.control.setState({ records: { [zoneId]: [record] } })
    real.control.clearJournal()
    await expect(runScenarios(real.accounts, () => undefined, temporaryFolder())).rejects.toThrow(
      `the TXT record "mail.${zoneName}"`,
    )
    expect(writes()).toEqual([])
    real.reset()
  })

  it('a tenant with an application of somebody is refused', async () => {
    const { entra } = real.description
    const token = await graphToken(entra)
    const url = `${entra.graphUrl}/v1.0/applications`
    const { id } = await askOrThrow('POST', url, token, { displayName: 'Payroll' })
    real.control.clearJournal()
    await expect(refuseProduction(real.accounts, true)).rejects.toThrow(
      `${entra.tenantId} has the application "Payroll"`,
    )
    expect(writes()).toEqual([])
    await ask('DELETE', `${url}/${id}`, token)
  })
})

it('after a lost connection, says what was created and how to remove it', async () => {
  const third = await openDouble(3)
  let open = true
  const proxy = createServer(async (request, response) => {
    if (!open) return void response.destroy()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const answer = await fetch(rootsOf(third.accounts).cloudflare + url, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    // The record is created, and then nothing more is heard.
    if (method === 'POST') open = false
    response.writeHead(answer.status).end(text)
  })
  const apiUrl = `${await listen(proxy)}/client/v4`
  const accounts = { ...third.accounts, cloudflare: { ...third.accounts.cloudflare, apiUrl } }
  const run = runScenarios(accounts, () => undefined, temporaryFolder(), named('tags are kept'))
  await expect(run).rejects.toThrow(
    /Left: a record of homeport-check-names\.example\.com\. Remove it: npm run test:real -- --clean/,
  )
  proxy.close()
  proxy.closeAllConnections()
  await third.close()
})
