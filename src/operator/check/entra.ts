import { hash } from 'node:crypto'
import { isObject, parseObject } from '../../../lib/json.ts'
import { fillProbe, meaningOf, type Probe, probes } from '../../../lib/probes.ts'
import type { ServerSettings } from '../../node/settings.ts'
import { randomText } from '../../session/cryptography.ts'
import { cloudOf, isIssuerOf } from '../../settings/clouds.ts'
import type { ClientCredential } from '../../sign-in/credential.ts'
import { authorityOf } from '../../sign-in/provider.ts'
import { numberIn } from '../../sign-in/provider-errors.ts'
import type { Ask, Found, Say } from './ask.ts'

/** Applications that verify an assertion allow less between the clocks. */
const maxClockSeconds = 60

const registration = 'In Entra, open App registrations, your application'
const overview = `${registration}, Overview, and copy its IDs. In a national cloud, set INSTANCE, too.`
const secrets = `${registration}, Certificates & secrets. Create a secret and copy its Value, or upload the certificate.`
const platform = `${registration}, Authentication, and compare the URI under Web, character for character.`

/** What the number of a refused credential hints at. */
const hints = new Map<number | null, string>([
  [7000215, 'It is not a secret of this application, such as its ID in place of its value.'],
  [7000222, 'It has expired.'],
  [700027, 'The registration lacks this certificate, or it has expired.'],
  [700024, 'The clock of this machine is wrong, or the federated token has expired.'],
])

/** What is found by the meaning of an answer, and only by that: anything else is not checked. */
const findings: Readonly<Record<string, Found>> = {
  registered: ['ok', 'Entra would send people there.'],
  unregistered: ['wrong', `${platform} If it is there, CLIENT_ID is another application’s.`],
  unknown: ['wrong', overview],
  refused: ['wrong', secrets],
  notRefused: [
    probes.credential.answers.notRefused.observed ? 'ok' : 'not checked',
    'Entra refuses this check’s code, not the credential. It is probably right: only a sign-in shows it.',
  ],
  withoutToken: ['ok', 'It asks for a token.'],
}

/** Checks the settings with Entra and Graph. Asks each question once. Returns the redirect URIs that are wrong. */
export async function checkEntra(
  { settings, credentials }: ServerSettings,
  ask: Ask,
  say: Say,
): Promise<readonly string[]> {
  const { graphUrl, clientId, redirectUris } = settings
  const authority = authorityOf(settings)
  const [verifier, state] = [randomText(32), randomText(16)]
  const challenge = hash('sha256', verifier, 'base64url')
  const values = { authority, graph: graphUrl, client: clientId, verifier, state, challenge }

  /** Sends a probe, and judges the answer by the error in its JSON, in a redirect that is back here, or on its page. */
  async function send(probe: Probe, redirectUri = '', credential?: ClientCredential) {
    const { url, form } = fillProbe(probe, { ...values, redirectUri })
    const server = { issuer: authority, token_endpoint: url }
    if (form) await credential?.authenticate(server, { client_id: clientId }, form, new Headers())
    const { status, none, body: text, header } = await ask(url, {}, form)
    const location = header('location')
    const sent = new URLSearchParams(/\?([^#]*)/.exec(location ?? '')?.[1])
    const isBack = location?.startsWith(`${redirectUri}?`) && sent.get('state') === state
    const body = parseObject(text) ?? {}
    const stated = isObject(body['error']) ? body['error']['code'] : body['error']
    const number = numberIn(location === null ? text : sent.get('error_description'))
    const codes = [probe.query ? isBack && sent.get('error') : stated, location === null && number]
    const meaning = meaningOf(probe, { status, codes }) ?? ''
    const says = `The answer is ${status}${number === null ? '' : `, AADSTS${number}`}.`
    const [finding, advice] = findings[meaning] ?? [
      'not checked',
      'It does not show whether this is right. Try again later, or sign in once to find out.',
    ]
    const hint = meaning === 'refused' ? ` ${hints.get(number) ?? 'It is not this application’s.'}` : ''
    const why = findings[meaning] && finding !== 'wrong' ? advice : `${says}${hint} ${advice}`
    return { header, none, body, meaning, says, found: [finding, none || why] as Found }
  }

  const [tenant, graph] = await Promise.all([send(probes.discovery), send(probes.profile)])
  say('clock', ...judgeClock(tenant.header))
  const ofTenant = tenant.meaning === 'known' ? judgeTenant(settings, tenant) : tenant.found
  say('tenant', ...ofTenant)
  const skipped = { meaning: '', found: ['not checked', 'Fix the other problem first.'] as Found }
  let isKnown = ofTenant[0] !== 'wrong' && tenant.none === ''
  let usable = ''
  const wrong: string[] = []
  for (const uri of redirectUris) {
    const { meaning, found } = isKnown ? await send(probes.redirectUri, uri) : skipped
    say(meaning === 'unknown' ? 'application' : `redirect URI ${uri}`, ...found)
    if (found[0] === 'wrong') wrong.push(uri)
    else if (isKnown) usable ||= uri
    isKnown &&= meaning !== 'unknown'
  }
  for (const [at, credential] of credentials.entries()) {
    const place = ` ${at + 1} of ${credentials.length}${at === 0 ? ', used first' : ''}`
    const { found } = usable === '' ? skipped : await send(probes.credential, usable, credential)
    say(`credential${credentials.length === 1 ? '' : place}`, ...found)
  }
  const silent = [tenant.none, graph.none].filter(Boolean).join(' ')
  if (silent === '') say('network', 'ok', 'Entra and Graph answer.')
  else say('network', 'wrong', `${silent} Open the way, or set HTTPS_PROXY.`)
  say('Graph', ...graph.found)
  return wrong
}

function judgeClock(header: (name: string) => string | null): Found {
  const date = Date.parse(header('date') ?? '') + Number(header('age')) * 1000
  const ahead = Math.round((Date.now() - date) / 1000)
  const text = `This machine is ${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead of'} Entra.`
  if (Number.isNaN(ahead)) return ['not checked', 'Entra did not say what time it is.']
  if (Math.abs(ahead) <= maxClockSeconds) return ['ok', text]
  return ['wrong', `${text} Set the clock, and keep it in sync with NTP.`]
}

/** Judges what Entra says of a tenant that it knows. */
function judgeTenant(
  settings: ServerSettings['settings'],
  { body, says }: { readonly body: Readonly<Record<string, unknown>>; readonly says: string },
): Found {
  const issuer = URL.parse(String(body['issuer']))
  const cloud = issuer ? cloudOf(issuer.origin) : undefined
  if (cloud && cloud !== cloudOf(settings.instance))
    return ['wrong', `It is in another cloud. Set INSTANCE to ${issuer?.origin}, and remove GRAPH_URL.`]
  const graph = `https://${body['msgraph_host']}`
  if (cloudOf(graph) && graph !== settings.graphUrl) return ['wrong', `Set GRAPH_URL to its own, ${graph}.`]
  if (isIssuerOf(settings, issuer)) return ['ok', 'Entra knows it.']
  return ['not checked', `${says} Its issuer is not this tenant.`]
}
