import { createHash, randomBytes } from 'node:crypto'
import { isObject, parseObject } from '../../../lib/json.ts'
import { fillProbe, meaningOf, type Probe, probes } from '../../../lib/probes.ts'
import { isGuid } from '../../../lib/settings/readers.ts'
import { cloudOf } from '../../settings/clouds.ts'
import type { Settings } from '../../settings/table.ts'
import type { ClientCredential } from '../../sign-in/credential.ts'
import { numberIn } from '../../sign-in/provider-errors.ts'
import type { Answer, Ask, Line } from './ask.ts'

/** Applications that verify an assertion allow less between the clocks. */
const maxClockSeconds = 60

/** What the number of a refused credential hints at. */
const hints = new Map([
  [7000215, 'It is not a secret of this application, such as its ID in place of its value.'],
  [7000222, 'It has expired.'],
  [700027, 'The registration lacks this certificate, or it has expired.'],
  [700024, 'The clock of this machine is wrong, or the federated token is old.'],
])

const registration = 'In Entra, open App registrations, your application'
const overview = `${registration}, Overview, and copy its IDs to TENANT_ID and CLIENT_ID.`
const skipped = 'Something else has to be fixed first.'

/** Reads the error of an answer: in JSON, in the redirect, or on the page. */
function readAnswer(probe: Probe, answer: Answer) {
  const { status, none, body: text } = answer
  const location = answer.header('location') ?? ''
  const sent = new URLSearchParams(/\?([^#]*)/.exec(location)?.[1])
  const body = parseObject(text) ?? {}
  const error = isObject(body['error']) ? body['error']['code'] : (body['error'] ?? sent.get('error'))
  const number = numberIn(location === '' ? text : sent.get('error_description'))
  const says = number === null ? '' : ` with AADSTS${number}`
  const unknown = none === '' ? `The answer ${status}${says} says nothing about this.` : `${none}.`
  const meaning = meaningOf(probe, { status, error: String(error ?? ''), number })
  return { answer, body, number, location, sent, meaning, unknown }
}

type Read = ReturnType<typeof readAnswer>

/** Checks the settings with Entra and Graph. Asks each question once. */
export async function* checkEntra(
  settings: Settings,
  credentials: readonly (readonly [name: string, credential: ClientCredential])[],
  ask: Ask,
): AsyncGenerator<Line> {
  const { instance, tenantId, graphUrl, clientId, redirectUris } = settings
  const authority = `${instance}/${encodeURIComponent(tenantId)}`
  const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(16).toString('base64url')]
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const values = { authority, graph: graphUrl, client: clientId, verifier, state, challenge }
  const fill = (probe: Probe, redirectUri = '') => fillProbe(probe, { ...values, redirectUri })
  const send = async (probe: Probe, redirectUri?: string) =>
    readAnswer(probe, await ask(fill(probe, redirectUri).url))
  const [tenant, graph] = await Promise.all([send(probes.discovery), send(probes.profile)])
  yield judgeClock(tenant.answer)
  const judged = judgeTenant(settings, tenant)
  yield judged
  let isKnown = judged[0] !== 'wrong' && tenant.answer.status > 0
  let usable = ''
  for (const uri of redirectUris) {
    const line = isKnown
      ? judgeRedirectUri(uri, state, await send(probes.redirectUri, uri))
      : (['not checked', `redirect URI ${uri}`, skipped] as const)
    yield line
    if (line[1] === 'application') isKnown = false
    if (isKnown && line[0] !== 'wrong') usable ||= uri
  }
  for (const [name, { authenticate }] of credentials) {
    const { url, form = new URLSearchParams() } = fill(probes.credential, usable)
    try {
      if (usable === '') yield ['not checked', name, skipped]
      else {
        const server = { issuer: authority, token_endpoint: url }
        await authenticate(server, { client_id: clientId }, form, new Headers())
        yield judgeCredential(name, readAnswer(probes.credential, await ask(url, {}, form)))
      }
    } catch (error) {
      yield ['wrong', name, `It cannot be used: ${(error as Error).message}.`]
    }
  }
  const silent = [
    { url: instance, ...tenant },
    { url: graphUrl, ...graph },
  ]
    .filter(({ answer }) => answer.status === 0)
    .map(({ url, unknown }) => `${url}: ${unknown} `)
  if (silent.length > 0) yield ['wrong', 'network', `${silent.join('')}Open the way, or set HTTPS_PROXY.`]
  else yield ['ok', 'network', 'Entra and Graph answer.']
  if (graph.meaning === 'withoutToken') yield ['ok', 'Graph', 'It asks for a token.']
  else yield ['not checked', 'Graph', graph.unknown]
}

function judgeClock({ header }: Answer): Line {
  const date = Date.parse(header('date') ?? '') + Number(header('age')) * 1000
  const ahead = Math.round((Date.now() - date) / 1000)
  const text = `This machine is ${Math.abs(ahead)} seconds ${ahead < 0 ? 'behind' : 'ahead of'} Entra.`
  if (Number.isNaN(ahead)) return ['not checked', 'clock', 'Entra did not say what time it is.']
  if (Math.abs(ahead) <= maxClockSeconds) return ['ok', 'clock', text]
  return ['wrong', 'clock', `${text} Set the clock, and keep it in sync with NTP.`]
}

function judgeTenant({ instance, tenantId, graphUrl }: Settings, read: Read): Line {
  const { meaning, body, number, unknown } = read
  const other = 'If it is in a national cloud, set INSTANCE.'
  if (meaning === 'unknown') return ['wrong', 'tenant', `Entra says AADSTS${number}. ${overview} ${other}`]
  const issuer = meaning === 'known' ? URL.parse(String(body['issuer'])) : null
  if (!issuer) return ['not checked', 'tenant', unknown]
  const cloud = cloudOf(issuer.origin)
  const isHere = issuer.origin === instance || (cloud !== undefined && cloud === cloudOf(instance))
  const cure = `Set INSTANCE to ${issuer.origin}, and remove GRAPH_URL.`
  if (cloud && !isHere) return ['wrong', 'tenant', `It is in another cloud. ${cure}`]
  const graph = `https://${body['msgraph_host']}`
  if (cloudOf(graph) && graph !== graphUrl) return ['wrong', 'tenant', `Set GRAPH_URL to its own, ${graph}.`]
  const isNamed = !isGuid(tenantId) || issuer.pathname.startsWith(`/${tenantId.toLowerCase()}/`)
  if (isHere && isNamed) return ['ok', 'tenant', 'Entra knows it.']
  return ['not checked', 'tenant', 'Entra describes another tenant than this one.']
}

function judgeRedirectUri(uri: string, state: string, read: Read): Line {
  const { meaning, location, sent, number, unknown } = read
  const about = `redirect URI ${uri}`
  const isBack = location.startsWith(`${uri}?`) && sent.get('state') === state
  if (isBack && meaning === 'registered') return ['ok', about, 'Entra would send people there.']
  if (location !== '' || !meaning) return ['not checked', about, unknown]
  const says = `Entra says AADSTS${number}.`
  if (meaning === 'unknown') return ['wrong', 'application', `${says} ${overview}`]
  const where = `${registration}, Authentication, and compare the URI under Web, character for character.`
  return ['wrong', about, `${says} ${where} If it is there, CLIENT_ID is another application’s.`]
}

function judgeCredential(name: string, { meaning, number, unknown }: Read): Line {
  const { observed } = probes.credential.answers.notRefused
  const text = 'Entra refuses the code of this check, and not the credential.'
  if (meaning === 'notRefused') return [observed ? 'ok' : 'not refused', name, text]
  if (meaning !== 'refused') return ['not checked', name, unknown]
  const hint = hints.get(number ?? 0) ?? 'It is not this application’s.'
  const cure = `${registration}, Certificates & secrets. Create another, and copy a secret’s Value.`
  return ['wrong', name, `Entra says invalid_client, AADSTS${number}. ${hint} ${cure}`]
}
