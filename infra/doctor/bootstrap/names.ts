import { fieldOf, listOf } from '../../json.ts'
import { aliasFix } from '../../resources/existing-record.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { findIn, ofType } from '../../stack-state.ts'
import { resultOf } from '../clients/cloudflare.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import type { Local } from './local.ts'
import type { Place } from './place.ts'

const { ok, note, missing } = findingsOf('cloudflare')

interface Names {
  readonly place: Place
  readonly zoneId: string
  readonly token: string
  readonly stack: Local['stack']
  readonly env: NodeJS.ProcessEnv
}

/** Checks the zone, the record of the hostname, and what exists at the host of the sign-in handler. */
export async function checkNames({
  place,
  zoneId,
  token,
  stack,
  env,
}: Names): Promise<readonly StepFinding[]> {
  const settings = stack?.settings ?? null
  const hostname = settings?.hostname ?? env['HOMEPORT_HOSTNAME']
  const origin = URL.parse(settings?.publicOrigin ?? env['HOMEPORT_ORIGIN'] ?? '')
  const findings: StepFinding[] = []
  if (!hostname)
    findings.push(missing('HOMEPORT_HOSTNAME is not set.', 'export HOMEPORT_HOSTNAME=home.example.com'))
  else {
    findings.push(...(await checkZone(place, zoneId, hostname, token)))
    findings.push(...(await checkRecord({ place, zoneId, token, stack, env }, hostname)))
  }
  if (origin === null)
    findings.push(missing('HOMEPORT_ORIGIN is not set.', 'export HOMEPORT_ORIGIN=https://people.example.com'))
  else if (!stack || !findIn(stack.state, types.domain)) {
    const taken = await recordsAt(place, zoneId, origin.hostname, token)
    if (taken?.length === 0) findings.push(ok(`Nothing is at ${origin.hostname} yet.`))
    else if (taken)
      findings.push(
        missing(
          `${origin.hostname} has a record, so the handler cannot be served there.`,
          'Choose another host. If nobody needs the record, remove it in the dashboard, under DNS.',
        ),
      )
  }
  return findings
}

/** Finds the zone by the hostname, and compares its ids with those that are set. */
async function checkZone(
  place: Place,
  zoneId: string,
  hostname: string,
  token: string,
): Promise<readonly StepFinding[]> {
  const labels = hostname.split('.')
  for (let at = 0; at < labels.length - 1; at += 1) {
    const name = labels.slice(at).join('.')
    const [zone] = listOf(resultOf(await place.as(token)(`/zones?${new URLSearchParams({ name })}`)))
    if (zone === undefined) continue
    const account = fieldOf(fieldOf(zone, 'account'), 'id')
    const wrong = [
      ...(fieldOf(zone, 'id') === zoneId ? [] : ['CLOUDFLARE_ZONE_ID']),
      ...(place.accountId === null || account === place.accountId ? [] : ['CLOUDFLARE_ACCOUNT_ID']),
    ]
    if (wrong.length > 0) {
      return [
        missing(
          `${wrong.join(' and ')} ${wrong.length === 1 ? 'does' : 'do'} not match the zone ${name}.`,
          `Copy the id${wrong.length === 1 ? '' : 's'} from the zone's overview page.`,
        ),
      ]
    }
    return fieldOf(zone, 'status') === 'active'
      ? [ok(`The zone ${name} is active.`)]
      : [
          missing(
            `The zone ${name} is ${shown(String(fieldOf(zone, 'status')))}.`,
            'Set its name servers at the registrar.',
          ),
        ]
  }
  return [note(`No zone of ${hostname} could be read by name.`)]
}

/** Resolves to the address records at a name, or to null if they cannot be read. */
async function recordsAt(
  place: Place,
  zoneId: string,
  name: string,
  token: string,
): Promise<readonly unknown[] | null> {
  const path = `/zones/${zoneId}/dns_records?${new URLSearchParams({ name })}`
  const found = resultOf(await place.as(token)(path))
  if (!Array.isArray(found)) return null
  return listOf(found).filter(record => ['A', 'AAAA', 'CNAME'].includes(String(fieldOf(record, 'type'))))
}

async function checkRecord(
  { place, zoneId, token, stack }: Names,
  hostname: string,
): Promise<readonly StepFinding[]> {
  const records = await recordsAt(place, zoneId, hostname, token)
  // Records that the token may not read have been reported.
  if (records === null) return []
  const [first, ...others] = records.filter(record => fieldOf(record, 'type') === 'A')
  const own = stack ? ofType(stack.state, types.record).map(({ id }) => id) : []
  const known: readonly unknown[] = [...own, stack?.settings?.importRecordId]
  if (records.some(record => fieldOf(record, 'type') === 'CNAME')) {
    return [missing(`${hostname} has a CNAME record, so it cannot have an A record.`, aliasFix('A'))]
  }
  if (first === undefined) return [ok(`${hostname} has no A record. The stack creates it.`)]
  const id = String(fieldOf(first, 'id'))
  if (others.length > 0) {
    return [
      missing(
        `${hostname} has ${others.length + 1} A records.`,
        'Compare their addresses in the dashboard, under DNS, and keep the one that people use.',
      ),
    ]
  }
  if (known.includes(id)) return [ok(`${hostname} has one A record, which the stack knows.`)]
  return [
    {
      ...missing(
        `${hostname} has an A record that no stack knows: ${shown(id)}. Adopt it when the stack exists.`,
        /^[0-9a-f]{32}$/.test(id)
          ? `pulumi config set --plaintext importRecordId ${id}`
          : 'Look at it in the dashboard, under DNS.',
      ),
      step: 'stack',
    },
  ]
}
