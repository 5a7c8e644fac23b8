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
      let response: Response
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
      } catch (error) {
        throw new OperatorError(`${place} did not answer. Check the network and CLOUDFLARE_API_URL.`, {
          cause: error,
        })
      }
      return readResult(await response.text(), response.status, place)
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
  const envelope = (typeof body === 'object' && body !== null ? body : {}) as {
    success?: unknown
    errors?: readonly { code?: unknown; message?: unknown }[]
    result?: readonly { results?: readonly Row[] }[]
  }
  const [result] = envelope.result ?? []
  if (envelope.success === true && result?.results) return result.results
  const errors = (envelope.errors ?? []).map(({ code, message }) => `${message} (${code})`).join('; ')
  const cure =
    status === 401 || status === 403 ? ' Check that CLOUDFLARE_API_TOKEN may edit D1 of this account.' : ''
  throw new OperatorError(`${place} answered ${status}: ${errors || 'no reason given'}.${cure}`)
}
