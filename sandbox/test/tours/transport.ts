import type { Running } from '../running.ts'

const someId = '0'.repeat(32)

/** Provokes the behaviour common to all API routes: routing errors, bodies, limits and stale reads. */
export async function tour({ api, control, at, records, home }: Running): Promise<void> {
  await api('GET', '/nowhere')
  await api('GET', '/radar/http')
  await api('GET', '/zones/name/dns_records')
  await api('GET', '/accounts/name/tokens')
  await api('GET', `/zones/${someId}`)
  await api('GET', `/accounts/${someId}/tokens`)
  await api('DELETE', '/zones')
  await api('GET', '/zones', { headers: { 'content-type': 'text/plain' } })
  await api('POST', records, { body: 'x'.repeat(2 ** 20 + 1) })

  const { id, ...fields } = await home()
  const stale = { match: { method: 'PUT' }, effect: { kind: 'stale', of: 'api', forMs: 60_000 } }
  await control('PUT', '/faults', { faults: [stale] })
  await api('PUT', `${records}/${id}`, { body: { ...fields, ttl: 300 } })
  await home()
  await control('PUT', '/clock', { advanceMs: 60_001 })

  await control('PUT', '/limits', { enforce: true, used: 1200 })
  await api('GET', records)
  await control('PUT', '/limits', { enforce: true })
  const now = '2030-01-01T00:00:00Z'
  // The clock runs on, so it is set again before each batch: all 208 requests must fall into one second.
  for (let batch = 0; batch < 8; batch += 1) {
    await control('PUT', '/clock', { now })
    await Promise.all(Array.from({ length: 26 }, () => api('GET', '/zones', { token: null })))
  }
  await control('PUT', '/limits', { enforce: false })
  for (const path of ['', '/cdn-cgi/trace', '/ips-v4']) await fetch(`${at.echo[0]}${path}`)
}
