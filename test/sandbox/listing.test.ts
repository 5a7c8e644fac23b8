import { beforeAll, describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

const list = async (query: string) => sandbox.api<DnsRecord[]>('GET', `${sandbox.records}?${query}`)
const contents = async (query: string): Promise<string[]> =>
  (await list(query)).body.result.map(({ content }) => content)

beforeAll(async () => {
  for (const at of Array(5).keys()) {
    await sandbox.create({ type: 'A', name: 'many', content: `192.0.2.${at}` })
  }
  await sandbox.create({ type: 'TXT', name: 'many', content: 'text' })
  await sandbox.create({ type: 'A', name: 'bücher', content: '192.0.2.99' })
})

describe('a list of records', () => {
  it('matches whole names in Punycode, ignoring case', async () => {
    expect(await contents('name=MANY.Example.com&type=TXT')).toEqual(['text'])
    expect(await contents('name=any.example.com')).toEqual([])
    expect(await contents('name=xn--bcher-kva.example.com')).toEqual(['192.0.2.99'])
    expect(await contents(`name=${encodeURIComponent('bücher.example.com')}`)).toEqual([])
  })

  it.each(['per_page=0', 'per_page=5000001', 'per_page=x', 'per_page=', 'page=0', 'page=-1', 'page=1.5'])(
    'refuses %s',
    async query => {
      expect(await list(query)).toMatchObject({ status: 400, body: { errors: [{ code: 1003 }] } })
    },
  )
})
