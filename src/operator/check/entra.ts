import { hash } from 'node:crypto'
import { isObject, parseObject } from '../../../lib/json.ts'
import { fillProbe, meaningOf, type Probe, probes } from '../../../lib/probes.ts'
import { isGuid } from '../../../lib/settings/readers.ts'
import { randomText } from '../../session/cryptography.ts'
import { cloudOf } from '../../settings/clouds.ts'
import type { Settings } from '../../settings/table.ts'
import type { ClientCredential } from '../../sign-in/credential.ts'
import { numberIn } from '../../sign-in/provider-errors.ts'
import type { Answer, Ask, Found, Say } from './ask.ts'

/** Applications that verify an assertion allow less between the clocks. */
const maxClockSeconds = 60

/** What the number of a refused credential hints at. */
const hints = new Map<number | null, string>([
  [7000215, 'It is not a secret of this application, such as its ID in place of its value.'],
  [7000222, 'It has expired.'],
  [700027, 'The registration lacks this certificate, or it has expired.'],
  [700024, 'The clock of this machine is wrong, or the federated token has expired.'],
])

const registration = 'In Entra, open App registrations, your application'
const overview = `${registration}, Overview, and copy its IDs. In a national cloud, set INSTANCE, too.`
const secrets = `${registration}, Certificates & secrets. Create another, and copy a secret’s Value.`
const platform = `${registration}, Authentication, and compare the URI under Web, character for character.`

const notRefused =
  'Entra refuses this check’s code, not the credential. It is probably right: only a sign-in shows it.'

/** Reads the error of an answer: in JSON, in the redirect, or on the page. */
function readAnswer(probe: Probe, { status, none, body: text, header }: Answer) {
  const location = header('location') ?? ''
  const sent = new URLSearchParams(/\?([^#]*)/.exec(location)?.[1])
  const body = parseObject(text) ?? {}
  const error = isObject(body['error']) ? body['error']['code'] : (body['error'] ?? sent.get('error'))
  const number = numberIn(location === '' ? text : sent.get('error_description'))
  const meaning = meaningOf(probe, { status, codes: [error, number] })
  const says = `The answer is ${status}${number === null ? '' : `, AADSTS${number}`}.`
  return { header, none, body, location, sent, number, meaning, says }
}

type Read = ReturnType<typeof readAnswer>

/** Returns what was found, by the meaning of an answer. Any other answer is not checked. */
function judge({ meaning = '', none, says }: Read, found: Readonly<Record<string, Found>>): Found {
  return found[meaning] ?? ['not checked', none || `${says} This says nothing about it.`]
}

/** Checks the settings with Entra and Graph. Asks each question once. Returns the redirect URIs that are wrong. */
export async function checkEntra(
  settings: Settings,
  credentials: readonly ClientCredential[],
  ask: Ask,
  say: Say,
): Promise<readonly string[]> {
  const { instance, tenantId, graphUrl, clientId, redirectUris } = settings
  const authority = `${instance}/${encodeURIComponent(tenantId)}`
  const [verifier, state] = [randomText(32), randomText(16)]
  const challenge = hash('sha256', verifier, 'base64url')
  const values = { authority, graph: graphUrl, client: clientId, verifier, state, challenge }
  async function send(probe: Probe, redirectUri = '', credential?: ClientCredential) {
    const { url, form } = fillProbe(probe, { ...values, redirectUri })
    const server = { issuer: authority, token_endpoint: url }
    if (form) await credential?.authenticate(server, { client_id: clientId }, form, new Headers())
    return readAnswer(probe, await ask(url, {}, form))
  }

  const [tenant, graph] = await Promise.all([send(probes.discovery), send(probes.profile)])
  say('clock', ...judgeClock(tenant))
  const known = judgeTenant(settings, tenant)
  const ofTenant = judge(tenant, { known, unknown: ['wrong', `${tenant.says} ${overview}`] })
  say('tenant', ...ofTenant)
  const skipped = { ...tenant, meaning: '', none: 'Fix the other problem first.' }
  let isKnown = ofTenant[0] !== 'wrong' && tenant.none === ''
  let usable = ''
  const wrong: string[] = []
  for (const uri of redirectUris) {
    const read = isKnown ? await send(probes.redirectUri, uri) : skipped
    const { location, sent, meaning, says } = read
    const isBack = location.startsWith(`${uri}?`) && sent.get('state') === state
    const isSure = meaning === 'registered' ? isBack : location === ''
    const isOther = isSure && meaning === 'unknown'
    const found = judge(isSure ? read : { ...read, meaning: '' }, {
      registered: ['ok', 'Entra would send people there.'],
      unregistered: ['wrong', `${says} ${platform} If it is there, CLIENT_ID is another application’s.`],
      unknown: ['wrong', `${says} ${overview}`],
    })
    say(isOther ? 'application' : `redirect URI ${uri}`, ...found)
    if (found[0] === 'wrong') wrong.push(uri)
    else if (isKnown) usable ||= uri
    isKnown &&= !isOther
  }
  const { observed } = probes.credential.answers.notRefused
  for (const [at, credential] of credentials.entries()) {
    const place = ` ${at + 1} of ${credentials.length}${at === 0 ? ', used first' : ''}`
    const read = usable === '' ? skipped : await send(probes.credential, usable, credential)
    const hint = hints.get(read.number) ?? 'It is not this application’s.'
    const found = judge(read, {
      refused: ['wrong', `${read.says} ${hint} ${secrets}`],
      notRefused: [observed ? 'ok' : 'not checked', notRefused],
    })
    say(`credential${credentials.length === 1 ? '' : place}`, ...found)
  }
  const silent = [tenant.none, graph.none].filter(Boolean).join(' ')
  if (silent === '') say('network', 'ok', 'Entra and Graph answer.')
  else say('network', 'wrong', `${silent} Open the way, or set HTTPS_PROXY.`)
  say('Graph', ...judge(graph, { withoutToken: ['ok', 'It asks for a token.'] }))
  return wrong
}

function judgeClock({ header }: Read): Found {
  const date = Date.parse(header('date') ?? '') + Number(header('age')) * 1000
  const ahead = Math.round((Date.now() - date) / 1000)
  const text = `This machine is ${Math.abs(ahead)} seconds ${ahead < 0 ? 'behind' : 'ahead of'} Entra.`
  if (Number.isNaN(ahead)) return ['not checked', 'Entra did not say what time it is.']
  if (Math.abs(ahead) <= maxClockSeconds) return ['ok', text]
  return ['wrong', `${text} Set the clock, and keep it in sync with NTP.`]
}

/** Judges what Entra says of a tenant that it knows. */
function judgeTenant({ instance, tenantId, graphUrl }: Settings, { body, says }: Read): Found {
  const issuer = URL.parse(String(body['issuer']))
  const cloud = issuer ? cloudOf(issuer.origin) : undefined
  const isHere = issuer?.origin === instance || (cloud && cloud === cloudOf(instance))
  const cure = `Set INSTANCE to ${issuer?.origin}, and remove GRAPH_URL.`
  if (cloud && !isHere) return ['wrong', `It is in another cloud. ${cure}`]
  const graph = `https://${body['msgraph_host']}`
  if (cloudOf(graph) && graph !== graphUrl) return ['wrong', `Set GRAPH_URL to its own, ${graph}.`]
  const isNamed = !isGuid(tenantId) || issuer?.pathname.startsWith(`/${tenantId.toLowerCase()}/`)
  if (isHere && isNamed) return ['ok', 'Entra knows it.']
  return ['not checked', `${says} Its issuer is not this tenant.`]
}
