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
  [700027, 'The registration lacks this certificate.'],
  [700024, 'The clock of this machine is wrong, or the federated token is old.'],
])

const registration = 'In Entra, open App registrations, your application'
const overview = `${registration}, Overview, and copy its IDs to TENANT_ID and CLIENT_ID.`
const skipped = 'Something else has to be fixed first.'

/** Reads the error of an answer: in JSON, in the redirect, or on the page. */
function readAnswer(probe: Probe, answer: Answer) {
  const location = answer.header('location')
  const sent = new URLSearchParams(/\?([^#]*)/.exec(location)?.[1])
  const body = parseObject(answer.text) ?? {}
  const given = isObject(body['error']) ? body['error']['code'] : (body['error'] ?? sent.get('error'))
  const number = numberIn(location === '' ? answer.text : sent.get('error_description'))
  const { status, reason } = answer
  const says = number === null ? '' : ` with AADSTS${number}`
  return {
    ...{ answer, body, number, location, sent },
    meaning: meaningOf(probe, { status, error: String(given ?? ''), number }),
    unknown: status === 0 ? `No answer: ${reason}.` : `The answer ${status}${says} says nothing about this.`,
  }
}

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
  const send = async (probe: Probe, redirectUri = '') =>
    readAnswer(probe, await ask(fillProbe(probe, { ...values, redirectUri }).url))
  const [tenant, graph] = await Promise.all([send(probes.discovery), send(probes.profile)])
  yield judgeClock(tenant.answer)
  const judged = judgeTenant(settings, tenant)
  yield judged
  let isKnown = judged[0] !== 'wrong' && tenant.answer.status > 0
  let usable = ''
  for (const uri of redirectUris) {
    const about = `redirect URI ${uri}`
    if (!isKnown) {
      yield ['not checked', about, skipped]
      continue
    }
    const { meaning, location, sent, number, unknown } = await send(probes.redirectUri, uri)
    const isBack = location.startsWith(`${uri}?`) && sent.get('state') === state
    const isPage = location === ''
    if (isPage && meaning === 'unknown') {
      isKnown = false
      yield ['wrong', 'application', `Entra says AADSTS${number}. ${overview}`]
    } else if (isPage && meaning === 'unregistered') {
      const where = `${registration}, Authentication, and compare the URI under Web, character for character.`
      const other = 'If it is there, CLIENT_ID is another application’s.'
      yield ['wrong', about, `Entra says AADSTS${number}. ${where} ${other}`]
    } else {
      usable ||= uri
      if (isBack && meaning === 'registered') yield ['ok', about, 'Entra would send people there.']
      else yield ['not checked', about, unknown]
    }
  }
  for (const [name, { authenticate }] of credentials) {
    if (usable === '') yield ['not checked', name, skipped]
    else {
      const { url, form } = fillProbe(probes.credential, { ...values, redirectUri: usable })
      try {
        await authenticate(
          { issuer: authority, token_endpoint: url },
          { client_id: clientId },
          form ?? new URLSearchParams(),
          new Headers(),
        )
        yield judgeCredential(name, readAnswer(probes.credential, await ask(url, {}, form)))
      } catch (error) {
        yield ['wrong', name, `It cannot be used: ${(error as Error).message}.`]
      }
    }
  }
  const silent = [[instance, tenant] as const, [graphUrl, graph] as const].filter(
    ([, { answer }]) => answer.status === 0,
  )
  const reasons = silent.map(([url, { answer }]) => `${url} does not answer: ${answer.reason}.`)
  if (reasons.length > 0)
    yield ['wrong', 'network', `${reasons.join(' ')} Open the way by https, or set HTTPS_PROXY.`]
  else yield ['ok', 'network', 'Entra and Graph answer.']
  if (graph.meaning === 'withoutToken') yield ['ok', 'Graph', 'It asks for a token.']
  else yield ['not checked', 'Graph', graph.unknown]
}

function judgeClock({ header }: Answer): Line {
  const date = Date.parse(header('date')) + Number(header('age')) * 1000
  const ahead = Math.round((Date.now() - date) / 1000)
  const text = `This machine is ${Math.abs(ahead)} seconds ${ahead < 0 ? 'behind' : 'ahead of'} Entra.`
  if (Number.isNaN(ahead)) return ['not checked', 'clock', 'Entra did not say what time it is.']
  if (Math.abs(ahead) <= maxClockSeconds) return ['ok', 'clock', text]
  return ['wrong', 'clock', `${text} Set the clock, and keep it in sync with NTP.`]
}

function judgeTenant(
  { instance, tenantId, graphUrl }: Settings,
  { meaning, body, number, unknown }: ReturnType<typeof readAnswer>,
): Line {
  if (meaning === 'unknown')
    return [
      'wrong',
      'tenant',
      `Entra says AADSTS${number}. ${overview} INSTANCE is the address of another cloud, if that has the tenant.`,
    ]
  const issuer = meaning === 'known' ? URL.parse(String(body['issuer'])) : null
  if (!issuer) return ['not checked', 'tenant', unknown]
  const cloud = cloudOf(issuer.origin)
  const isHere = issuer.origin === instance || (cloud !== undefined && cloud === cloudOf(instance))
  const graph = `https://${body['msgraph_host']}`
  if (cloud && !isHere)
    return [
      'wrong',
      'tenant',
      `It is in another cloud. Set INSTANCE to ${issuer.origin}, and remove GRAPH_URL.`,
    ]
  if (cloudOf(graph) && graph !== graphUrl)
    return ['wrong', 'tenant', `It has another Graph. Set GRAPH_URL to ${graph}.`]
  const isNamed = !isGuid(tenantId) || issuer.pathname.startsWith(`/${tenantId.toLowerCase()}/`)
  if (isHere && isNamed) return ['ok', 'tenant', 'Entra knows it.']
  return ['not checked', 'tenant', 'Entra describes another tenant than this one.']
}

function judgeCredential(name: string, { meaning, number, unknown }: ReturnType<typeof readAnswer>): Line {
  if (meaning === 'notRefused')
    return [
      probes.credential.answers.notRefused.observed ? 'ok' : 'not refused',
      name,
      'Entra refuses the code of this check, and not the credential.',
    ]
  if (meaning !== 'refused') return ['not checked', name, unknown]
  const hint = hints.get(number ?? 0) ?? 'It is not this application’s.'
  const cure = `${registration}, Certificates & secrets. Create another, and copy a secret’s Value.`
  return ['wrong', name, `Entra says invalid_client, AADSTS${number}. ${hint} ${cure}`]
}
