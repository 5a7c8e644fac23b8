import { describe, expect, it } from 'vitest'
import { readSvcParams } from '../../sandbox/cloudflare/records/svc-params.ts'
import { httpsData } from '../../sandbox/dns/encoded-data.ts'
import { fc } from '../../sandbox/testing/random.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const post = (fields: object) =>
  sandbox.api('POST', sandbox.records, { body: { ttl: 120, name: 'typed', ...fields } })

describe('a record with data', () => {
  it.each([
    ['CAA', { flags: 0, tag: 'ISSUE', value: 'ca.example.net' }, '0 issue "ca.example.net"'],
    ['SRV', { priority: 0, weight: 5, port: 443, target: 'A.example.com' }, '5 443 a.example.com'],
    ['SRV', { priority: 0, weight: 0, port: 0, target: '.' }, '0 0 .'],
    ['HTTPS', { priority: 1, target: '.', value: 'alpn="h3,h2"' }, '1 . alpn="h3,h2"'],
    ['HTTPS', { priority: 0, target: 'www.example.net', value: '' }, '0 www.example.net'],
    ['HTTPS', { priority: 2, target: 'www.example.net' }, '2 www.example.net'],
    ['DS', { key_tag: 60485, algorithm: 5, digest_type: 1, digest: '2bb183af' }, '60485 5 1 2bb183af'],
    ['SSHFP', { algorithm: '4', type: '2', fingerprint: 'ab01' }, '4 2 AB01'],
    ['TLSA', { usage: 3, selector: 1, matching_type: 1, certificate: '0d0e' }, '3 1 1 0d0e'],
  ])('is created from data and returned with content and data: %s %j', async (type, data, content) => {
    const record = await sandbox.create({ type, name: `${type}-${content.length}`, data })
    expect(record).toMatchObject({ type, content, proxiable: false })
    expect(Object.keys(record.data ?? {})).toEqual(expect.arrayContaining(Object.keys(data)))
  })

  it.each([
    ['CAA', 'issue', '/data'],
    ['CAA', { flags: 256, tag: 'issue', value: 'x' }, '/data/flags'],
    ['CAA', { flags: 0, tag: 'is sue', value: 'x' }, '/data/tag'],
    ['CAA', { flags: 0, tag: 'issue', value: 'a\nb' }, '/data/value'],
    ['SRV', { priority: 1, weight: 1, port: 65_536, target: 'a.example' }, '/data/port'],
    ['SRV', { priority: 1, weight: 1, port: 1, target: '192.0.2.1' }, '/data/target'],
    ['HTTPS', { priority: 1, target: 'a b', value: '' }, '/data/target'],
    ['HTTPS', { priority: 1, target: '.', value: 'port=70000' }, '/data/value'],
    ['HTTPS', { priority: 1, target: '.', value: 'port=1 port=2' }, '/data/value'],
    ['HTTPS', { priority: 0, target: '.', value: 'port=1' }, '/data'],
    ['SSHFP', { algorithm: 256, type: 1, fingerprint: 'ab' }, '/data/algorithm'],
    ['SSHFP', { algorithm: 1, type: 1, fingerprint: 'abc' }, '/data/fingerprint'],
    ['TLSA', { usage: 3, selector: 1, matching_type: 1, certificate: 'x' }, '/data/certificate'],
  ])('is refused if a field of data is invalid: %s %j', async (type, data, pointer) => {
    expect(await post({ type, data })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 9207, source: { pointer } }] },
    })
  })
})

it.each([
  ['SRV', undefined, ['priority', 'weight', 'port', 'target']],
  ['SRV', { priority: 1, port: 5060 }, ['weight', 'target']],
  ['CAA', { tag: 'issue', value: 'x' }, ['flags']],
  ['SSHFP', {}, ['algorithm', 'type', 'fingerprint']],
])(
  'a record without fields of data is refused, with one error for each: %s %j',
  async (type, data, fields) => {
    // Clients of the old interface send this content instead.
    const { status, body } = await post({ type, content: '0 5060 sip.example.com', data })
    expect(status).toBe(400)
    expect(body.errors).toEqual(
      fields.map(field => ({ code: 9101, message: `${field} is a required data field.` })),
    )
  },
)

it.each([
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8::0001:0:0:0', '2001:db8:0:0:1::'],
  ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
])('an AAAA record has canonical content: %s', async (sent, content) => {
  const record = await sandbox.create({ type: 'AAAA', name: 'six', content: sent })
  expect(record.content).toBe(content)
  expect((await post({ type: 'AAAA', name: 'six', content })).body.errors).toMatchObject([{ code: 81058 }])
})

describe('an MX record', () => {
  it('has a priority, and may have the target "."', async () => {
    const mail = { type: 'MX', name: 'mail', content: 'MX.example.com' }
    expect(await sandbox.create({ ...mail, priority: 0 })).toMatchObject({
      content: 'mx.example.com',
      priority: 0,
    })
    expect(await sandbox.create({ ...mail, priority: 20 })).toMatchObject({ priority: 20 })
    expect(await sandbox.create({ ...mail, name: 'none', content: '.', priority: 0 })).toMatchObject({
      content: '.',
    })
  })

  it.each([
    [{ content: 'mx.example.com' }, 9100],
    [{ content: 'mx.example.com', priority: null }, 9100],
    [{ content: 'mx.example.com', priority: '10' }, 9207],
    [{ content: '192.0.2.1', priority: 10 }, 9009],
  ])('is refused: %j', async (fields, code) => {
    expect((await post({ type: 'MX', ...fields })).body.errors.map(error => error.code)).toEqual([code])
  })
})

it('a record that changes its type loses the fields of the old one', async () => {
  const { id } = await sandbox.create({ type: 'MX', name: 'turns', content: 'a.example', priority: 5 })
  const { body } = await sandbox.api('PATCH', `${sandbox.records}/${id}`, {
    body: { type: 'A', content: '192.0.2.1' },
  })
  expect(body.result).toMatchObject({ id, type: 'A', content: '192.0.2.1', proxiable: true })
  expect(body.result).not.toHaveProperty('priority')
})

it('a CNAME cannot point at itself', async () => {
  const answer = await post({ type: 'CNAME', name: 'self', content: 'SELF.example.com' })
  expect(answer.body.errors.map(({ code }) => code)).toEqual([9007])
})

describe('service parameters', () => {
  function hex(text: string) {
    const params = readSvcParams(text)
    return params && httpsData(1, '.', params).subarray(3).toString('hex')
  }

  it.each([
    // Test vectors without escapes (RFC 9460 appendix D).
    ['port=53', '000300020035'],
    ['key667=hello', '029b000568656c6c6f'],
    [
      'ipv6hint="2001:db8::1,2001:db8::53:1"',
      '0006002020010db800000000000000000000000120010db8000000000000000000530001',
    ],
    [
      'mandatory=alpn,ipv4hint alpn=h2,h3-19 ipv4hint=192.0.2.1',
      '0000000400010004000100090268320568332d313900040004c0000201',
    ],
    ['', ''],
    ['no-default-alpn port=1', '00020000000300020001'],
  ])('are encoded as in RFC 9460: %s', (text, wire) => {
    expect(hex(text)).toBe(wire)
  })

  it.each([
    'port',
    'port=x',
    'alpn=',
    'ipv4hint=1.2.3',
    'unknown=1',
    'key65535=x',
    'ech=?',
    'a="b',
    'port=1,port=2',
  ])('are refused: %s', text => expect(readSvcParams(text)).toBeNull())

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const params = readSvcParams(text)
        return params === null || httpsData(1, '.', params).length >= 3
      }),
    )
  })
})
