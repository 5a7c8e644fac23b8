import { promises as dns } from 'node:dns'
import { connect } from 'node:net'
import { encode, type RecordType } from 'dns-packet'
import { expect, test } from 'vitest'
import { ledger } from '../../sandbox/ledger.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

/** Asks over TCP, or UDP, for one name, with an OPT record so that no client library has to be asked for one. */
const query = async (name: string, type: RecordType): Promise<void> => {
  const { host, port } = sandbox.at.nameServer
  const option = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
  } as const
  const message = encode({
    type: 'query',
    id: 1,
    questions: [{ name, type }],
    additionals: [{ ...option, flag_do: false, options: [] }],
  })
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, host, () =>
      socket.write(Buffer.concat([Buffer.from([0, message.length]), message])),
    )
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
  })
}

/** One request for each behaviour that is not met on the way to another. */
const tour = async () => {
  const { records, api, create } = sandbox
  const { zoneId, dnsToken } = sandbox.at.cloudflare
  const good = { type: 'A', name: 'tour', content: '192.0.2.1', ttl: 120 }
  const post = (fields: object | string) =>
    api('POST', records, { body: typeof fields === 'string' ? fields : { ...good, ...fields } })
  const unknown = { token: 'a'.repeat(40) }
  const scoped = { token: dnsToken }
  const noId = '0'.repeat(32)

  await api('GET', `${records}?name=home.example.com&type=A&page=0`)
  await api('GET', '/zones', { token: null })
  await api('GET', '/user/tokens/verify', { token: null })
  await api('GET', '/zones', { headers: { 'x-auth-key': 'key' } })
  await api('GET', '/zones', { token: 'short' })
  for (const path of ['/zones', '/user/tokens/verify', '/accounts']) await api('GET', path, unknown)
  const { tokens } = (await sandbox.control('GET', '/state')).body as { tokens: object[] }
  const revoked = `cfut_${'A'.repeat(40)}00000000`
  await sandbox.control('PUT', '/state', { tokens: [...tokens, { value: revoked, status: 'revoked' }] })
  await api('GET', '/zones', { token: revoked })
  await api('GET', `/zones/${noId}/dns_records`, scoped)
  await api('GET', `/zones/${zoneId}`, scoped)
  await api('GET', `/zones/${zoneId}`)
  await api('GET', '/zones', scoped)
  await api('GET', '/zones?name=example.com', scoped)
  await api('GET', '/user/tokens/verify')
  await api('GET', '/nowhere')
  await api('GET', '/zones/name/dns_records')
  await api('GET', `/zones/${noId}`)
  await api('DELETE', '/zones')
  await api('GET', '/zones', { headers: { 'content-type': 'text/plain' } })
  await post('x'.repeat(2 ** 20 + 1))

  for (const wrong of [
    '[]',
    { name: '..' },
    { type: 'SPF' },
    { content: '' },
    { type: 'AAAA' },
    { type: 'CNAME', content: '' },
    { type: 'NS', content: '' },
    { ttl: 0 },
    { ttl: '1' },
    { type: 'TXT', proxied: true },
    { comment: 1 },
  ]) {
    await post(wrong)
  }
  await api('GET', `${records}/${noId}`)
  const { id } = await create(good)
  await api('PUT', `${records}/${id}`, { body: { ...good, proxied: true } })
  await api('PATCH', `${records}/${id}`, { body: { ttl: 1 } })
  await post({})
  await create({ type: 'CNAME', name: 'www', content: 'home.example.com' })
  await post({ name: 'www' })
  await post({ type: 'CNAME', content: 'home.example.com' })
  await create({ type: 'A', name: '*.wild', content: '192.0.2.1' })
  await create({ type: 'NS', name: 'sub', content: 'ns.example.net' })
  for (const at of Array(4).keys()) await create({ type: 'TXT', name: 'long', content: `${at}`.repeat(400) })

  for (const name of ['www', 'tour', 'a.wild', 'missing', 'a.sub']) await query(`${name}.example.com`, 'A')
  await query('example.com', 'AXFR')
  const resolver = new dns.Resolver()
  resolver.setServers([`${sandbox.at.nameServer.host}:${sandbox.at.nameServer.port}`])
  await resolver.resolveTxt('long.example.com')
  await fetch(sandbox.at.echo[0] ?? '')

  await api('DELETE', `${records}/${id}`)
  await sandbox.control('PUT', '/state', {
    errorForm: 'chained',
    records: { [zoneId]: [{ ...good, id, name: 'tour.example.com', meta: { read_only: true } }] },
  })
  await api('DELETE', `${records}/${id}`)
}

test('every behaviour of the ledger is reached, and none that it lacks is cited', async () => {
  await tour()
  const cited = new Set((await sandbox.journal()).flatMap(entry => entry.ledger))
  expect([...cited].sort()).toEqual(Object.keys(ledger).sort())
})

test('every behaviour says what it is and where that is known from', () => {
  for (const [id, { what, source, where }] of Object.entries(ledger)) {
    expect(['documented', 'observed', 'tried', 'assumed'], id).toContain(source)
    expect(what, id).toMatch(/\.$/)
    expect(where, id).not.toBe('')
  }
})
