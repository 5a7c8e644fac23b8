import type { Running } from '../running.ts'

const someId = '0'.repeat(32)

const invalid = [
  '[]',
  { name: '..' },
  { type: 'SPF' },
  { content: '' },
  { type: 'AAAA' },
  { type: 'CNAME', content: '' },
  { type: 'SRV' },
  { type: 'NS', name: 'home', content: 'ns.example.net' },
  { type: 'MX', priority: 1 },
  { type: 'MX' },
  { type: 'NS', content: '' },
  { ttl: 0 },
  { ttl: '1' },
  { type: 'TXT', proxied: true },
  { comment: 1 },
]

const queries = [
  'name=home.example.com&type=A',
  'page=0',
  'name.contains=o',
  'comment.present',
  'tag=a',
  'match=any',
  'order=name',
  'order=age',
  'search=home',
  'include_shadow_metadata=true',
  'shadowing_name=example.com',
]

/** Calls every operation on zones and records, and provokes every record error. */
export async function tour({ api, control, create, at, records }: Running): Promise<void> {
  const { zoneId, dnsToken } = at.cloudflare
  const scoped = { token: dnsToken }
  const good = { type: 'A', name: 'tour', content: '192.0.2.1', ttl: 120 }
  const post = (fields: object | string) =>
    api('POST', records, { body: typeof fields === 'string' ? fields : { ...good, ...fields } })

  for (const path of ['/user', '/memberships', '/accounts', `/accounts/${at.cloudflare.accountId}`]) {
    await api('GET', path)
  }
  await api('GET', `/zones/${zoneId}/pagerules`)
  await api('GET', '/zones', scoped)
  await api('GET', '/zones?name=example.com', scoped)
  await api('GET', '/zones?name=contains:example&order=name')
  await api('GET', '/zones?per_page=100')
  await api('GET', `/zones/${zoneId}`)
  for (const query of queries) await api('GET', `${records}?${query}`)
  for (const fields of invalid) await post(fields)
  await api('GET', `${records}/${someId}`)

  const { id } = await create(good)
  await api('PUT', `${records}/${id}`, { body: { ...good, proxied: true } })
  await api('PATCH', `${records}/${id}`, { body: { ttl: 1 } })
  await post({})
  await control('PUT', '/state', { duplicateCode: 81057 })
  await post({})
  await control('PUT', '/state', { duplicateCode: 81058 })
  await post({ type: 'AAAA', name: 'tour-six', content: '2001:db8::1', ttl: undefined })
  await create({ type: 'NS', name: 'tour-cut', content: 'ns.example.net' })
  await post({ name: 'tour-cut' })
  await create({ type: 'CNAME', name: 'tour-alias', content: 'tour.example.com' })
  await post({ name: 'tour-alias' })
  await post({ type: 'CNAME', content: 'home.example.com' })
  await api('POST', `${records}/batch`, { body: { deletes: [{ id }] } })
  await api('POST', `${records}/batch`, { body: { deletes: [{ id }] } })
  await api('POST', `${records}/batch`, { body: { deletes: Array(201).fill({ id }) } })

  const { id: last } = await create({ ...good, name: 'tour-last' })
  await api('DELETE', `${records}/${last}`)
  const locked = { ...good, id: someId, name: 'locked.example.com', meta: { read_only: true } }
  await control('PUT', '/state', { errorForm: 'chained', records: { [zoneId]: [locked] } })
  await api('DELETE', `${records}/${someId}`)
  await control('PUT', '/state', { errorForm: 'flat' })
}
