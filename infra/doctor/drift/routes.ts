import { textOf } from '../../json.ts'
import { shown } from '../../shown.ts'
import { type Read, resultOf, unread } from '../clients/cloudflare.ts'
import { differs, type Finding, ifRead, type ReadResult } from '../finding.ts'

/** A Workers route as the service returns it. */
interface FoundRoute {
  readonly id: string
  readonly pattern: string
  /** Null if requests skip Workers. */
  readonly script: string | null
}

/** What gets requests for a host instead of its Worker, and how to fix what it saw, in sentences. */
const seen = {
  signIn: { what: 'codes and cookies', fix: 'replace sessionKeys too' },
  push: { what: 'passwords of routers', fix: 'change those in pushHosts too' },
} as const

/** Finds Workers routes for a Worker's host. A route goes before a custom domain (Workers, Routes). */
export async function routeDifferences(
  part: keyof typeof seen,
  serviceName: string,
  { zoneId, host }: { readonly zoneId: string; readonly host: string },
  read: Read,
): Promise<readonly Finding[]> {
  const { what, fix } = seen[part]
  const answer = await read(`/zones/${zoneId}/workers/routes`)
  const found = resultOf(answer)
  const routes: ReadResult<readonly FoundRoute[]> = Array.isArray(found)
    ? { value: found.map(routeIn) }
    : unread('the Workers routes', answer, 'Workers Routes Read')
  return ifRead(routes, all =>
    all
      .filter(({ pattern, script }) => script !== serviceName && covers(pattern, host))
      .map(({ id, pattern, script }) =>
        differs(
          `The Workers route ${shown(pattern)} (${shown(id)}) sends requests for ${host} to ${script === null ? 'no Worker' : `the Worker ${shown(script)}`} instead of ${serviceName}.`,
          `What gets them sees ${what}. Find out who added it, and change it in the dashboard, under the zone, Workers Routes. If you did not know it, ${fix}.`,
        ),
      ),
  )
}

const routeIn = (one: unknown): FoundRoute => ({
  id: textOf(one, 'id') ?? '',
  pattern: textOf(one, 'pattern') ?? '',
  script: textOf(one, 'script') || null,
})

/** Whether the host of a pattern, which can start with `*`, matches. Any path counts. */
function covers(pattern: string, host: string): boolean {
  const wanted = pattern
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')
  return wanted.startsWith('*') ? host.endsWith(wanted.slice(1)) : wanted === host
}
