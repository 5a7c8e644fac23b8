import type { Running } from '../running.ts'

/** Calls every operation on databases and provokes their errors. */
export async function tour({ api, at }: Running): Promise<void> {
  const databases = `/accounts/${at.cloudflare.accountId}/d1/database`
  const { body } = await api<{ uuid: string }>('POST', databases, { body: { name: 'tour' } })
  const database = `${databases}/${body.result.uuid}`
  await api('POST', databases, { body: { name: 'tour' } })
  await api('POST', databases, { body: {} })
  await api('GET', databases)
  await api('GET', database)
  await api('PATCH', database, { body: { read_replication: { mode: 'auto' } } })
  await api('POST', `${database}/query`, { body: { sql: 'SELECT 1; SELECT 2' } })
  await api('POST', `${database}/query`, { body: { sql: 'SELCT' } })
  await api('POST', `${database}/raw`, { body: { sql: 'SELECT ?', params: ['x'] } })
  await api('DELETE', database)
  await api('GET', database)
}
