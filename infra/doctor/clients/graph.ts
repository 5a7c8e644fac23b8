import { maxServerSecretBytes, readSecretFile } from '../../../lib/secret-file.ts'
import { readGraphUrl } from '../../../src/settings/clouds.ts'
import { exchange, type HttpAnswer, reasonOf, requireSafeUrl } from '../../http.ts'
import { fieldOf, textOf } from '../../json.ts'
import type { SignInSettings } from '../../settings/stack-settings.ts'
import { type ReadResult, unreadable } from '../finding.ts'

/** Reads a path of Microsoft Graph below `/v1.0`. */
export type ReadGraph = (path: string) => Promise<HttpAnswer>

const subject = 'Entra'
/** Sets HOMEPORT_GRAPH_TOKEN. */
export const tokenCommand =
  'export HOMEPORT_GRAPH_TOKEN=$(az account get-access-token --resource-type ms-graph --query accessToken --output tsv)'

/**
 * Connects with the token in HOMEPORT_GRAPH_TOKEN, or with one that Entra issues for the run's own identity. Its request is
 * the only one of a comparison that is not a GET.
 */
export async function connectGraph(
  { handler }: SignInSettings,
  env: NodeJS.ProcessEnv,
): Promise<ReadResult<ReadGraph>> {
  const { INSTANCE: instance = '', GRAPH_URL: graphUrl = standardGraph(instance) } = handler
  const root = requireSafeUrl(graphUrl, 'graphUrl')
  const given = env['HOMEPORT_GRAPH_TOKEN']
  const token = given ? { value: given } : await exchangeIdentity(root, instance, env)
  return 'value' in token ? { value: readerOf(root, token.value) } : token
}

/** Reads with a token. @param root origin of Graph, checked before */
export function readerOf(root: string, token: string): ReadGraph {
  const headers = { authorization: `Bearer ${token}` }
  return path => exchange(`${root}/v1.0${path}`, { headers })
}

function standardGraph(instance: string): string {
  const reading = readGraphUrl('', instance)
  return 'value' in reading ? reading.value : ''
}

/** Resolves to a token for Graph in exchange for the one that GitHub issued to the run. */
async function exchangeIdentity(
  root: string,
  instance: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadResult<string>> {
  const { AZURE_FEDERATED_TOKEN_FILE: file, AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client } = env
  if (!file || !tenant || !client) {
    return { problem: unreadable(subject, 'HOMEPORT_GRAPH_TOKEN is not set.', `Set it: ${tokenCommand}`) }
  }
  const assertion = readSecretFile(file, maxServerSecretBytes)
  if ('problem' in assertion)
    return {
      problem: unreadable(
        subject,
        `AZURE_FEDERATED_TOKEN_FILE names a file that ${assertion.problem}`,
        `Or set HOMEPORT_GRAPH_TOKEN: ${tokenCommand}`,
      ),
    }
  const url = `${requireSafeUrl(instance, 'instance')}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  const form = {
    grant_type: 'client_credentials',
    client_id: client,
    scope: `${root}/.default`,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.value,
  }
  const answer = await exchange(url, { method: 'POST', headers: {}, form })
  const token = answer.status === 200 ? textOf(answer.body, 'access_token') : null
  if (token !== null) return { value: token }
  const reason = reasonOf(answer, 'the sign-in service')
  const fix = 'Check the federated credential of the application: npm run bootstrap.'
  return { problem: unreadable(subject, `${reason}.`, fix) }
}

/** Reads one object. Its value is null if it does not exist. */
export async function readObject(read: ReadGraph, path: string, name: string): Promise<ReadResult<unknown>> {
  const answer = await read(path)
  if (answer.status === 404) return { value: null }
  if (answer.status === 200 && answer.body !== null) return { value: answer.body }
  return unreadObject(name, answer)
}

const maxPages = 50

/** Reads a list to its end. */
export async function readObjects(
  read: ReadGraph,
  path: string,
  name: string,
): Promise<ReadResult<readonly unknown[]>> {
  const all: unknown[] = []
  let next: string = path
  for (let page = 1; page <= maxPages; page += 1) {
    const answer = await read(next)
    const found = answer.status === 200 ? fieldOf(answer.body, 'value') : null
    if (!Array.isArray(found)) return unreadObject(name, answer)
    all.push(...found)
    const link = answer.status === 200 ? textOf(answer.body, '@odata.nextLink') : null
    const query = link === null ? null : URL.parse(link)?.search
    // The token must not reach another host, so only the query of the link is used.
    if (!query) return { value: all }
    next = `${path.split('?', 1)[0]}${query}`
  }
  return { problem: unreadable(name, `it has more than ${maxPages} pages.`, 'Compare it in the portal.') }
}

function unreadObject(name: string, answer: HttpAnswer): ReadResult<never> {
  const reason = reasonOf(answer, 'Graph')
  const refused = answer.status === 401 || answer.status === 403
  const fix = refused
    ? `Use a token that can read applications (Application.Read.All): ${tokenCommand}`
    : 'Run npm run drift again.'
  return { problem: unreadable(name, `${reason}.`, fix) }
}
