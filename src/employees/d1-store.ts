import type { Row } from './rows.ts'
import { OperatorError, type Store } from './store.ts'

export interface D1Access {
  /** Root of the interface, up to `/client/v4`. */
  readonly apiUrl: string
  readonly accountId: string
  readonly databaseId: string
  /** A token that may edit D1. */
  readonly token: string
}

const timeoutMs = 30_000

/** The operator's way to D1, by the HTTP API: outside a Worker there is no binding. */
export function openD1Store({ apiUrl, accountId, databaseId, token }: D1Access): Store {
  const place = `D1 database ${databaseId}`
  const url = `${apiUrl.replace(/\/+$/, '')}/accounts/${encodeURIComponent(accountId)}/d1/database/${encodeURIComponent(databaseId)}/query`
  return {
    dialect: 'd1',
    place,
    async query(sql, values = []) {
      const body = JSON.stringify({ sql: sql.replace(/\$(\d+)/g, '?$1'), params: values })
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      let status: number
      let text: string
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
        status = response.status
        text = await response.text()
      } catch (error) {
        throw new OperatorError(`${place} did not answer. Check the network and CLOUDFLARE_API_URL.`, {
          cause: error,
        })
      }
      return readResult(text, status, place)
    },
    close: async () => undefined,
  }
}

/** The rows of an envelope `{success, errors, result: [{results}]}`; throws what it says otherwise. */
function readResult(text: string, status: number, place: string): readonly Row[] {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new OperatorError(`${place} answered ${status} without JSON.`)
  }
  const envelope = isRecord(body) ? body : {}
  const [result] = listOf(envelope['result'])
  if (envelope['success'] === true && Array.isArray(result?.['results'])) return listOf(result['results'])
  const errors = listOf(envelope['errors'])
    .map(({ code, message }) => printable(`${String(message)} (${String(code)})`))
    .join('; ')
  const cure =
    status === 401 || status === 403 ? ' Check that CLOUDFLARE_API_TOKEN may edit D1 of this account.' : ''
  throw new OperatorError(`${place} answered ${status}: ${errors || 'no reason given'}.${cure}`)
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Text from outside, on one line and not too long of it. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, 300)
}
