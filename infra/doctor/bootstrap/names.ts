import type { FullReading } from '../../../lib/reading.ts'
import { fieldOf, listOf } from '../../json.ts'
import { aliasFix } from '../../resources/existing-record.ts'
import { type KeyReading, readHostnames, readRecordTypes } from '../../settings/readers.ts'
import type { RecordPlan } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { ofType } from '../../stack-state.ts'
import { resultOf } from '../clients/cloudflare.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import type { Local } from './stack.ts'
import type { Place } from './tokens.ts'

const { ok, note, missing } = findingsOf('cloudflare')

interface Names {
  readonly place: Place
  readonly zoneId: string
  readonly token: string
  readonly stack: Local['stack']
  readonly env: NodeJS.ProcessEnv
}

/** Checks that the hostnames are in the zone, and free or to be adopted. */
export async function checkNames(names: Names): Promise<readonly StepFinding[]> {
  const { place, zoneId, token, stack, env } = names
  const record = stack?.settings?.record
  const reading = record ? { value: record.plans } : plansIn(env)
  if ('problems' in reading) return reading.problems
  const plans = reading.value
  const hosts = [...new Set(plans.map(({ name }) => name))]
  const findings = [...(await checkZone(place, zoneId, hosts, token, stack !== null))]
  // In another zone, nothing about the records would be true.
  if (findings.some(({ level }) => level === 'error')) return findings
  for (const plan of plans) findings.push(...(await checkRecord(names, plan, plans.length === 1)))
  return findings
}

type Plan = Pick<RecordPlan, 'name' | 'type'>

/** Returns the records that the stack will have, according to the environment. */
function plansIn({
  HOMEPORT_HOSTNAME: names,
  HOMEPORT_RECORD_TYPE: types,
}: NodeJS.ProcessEnv): FullReading<readonly Plan[], StepFinding> {
  const setName = 'export HOMEPORT_HOSTNAME=home.example.com'
  if (!names) return { problems: [missing('HOMEPORT_HOSTNAME is not set.', setName)] }
  const [hostnames, wanted] = [readHostnames(names), readRecordTypes(types || 'A')]
  if ('value' in hostnames && 'value' in wanted) {
    return { value: hostnames.value.flatMap(name => wanted.value.map(type => ({ name, type }))) }
  }
  const wrong = (variable: string, reading: KeyReading<unknown>, fix: string) =>
    'value' in reading ? [] : reading.problems.map(problem => missing(`${variable} ${problem}`, fix))
  return {
    problems: [
      ...wrong('HOMEPORT_HOSTNAME', hostnames, setName),
      ...wrong('HOMEPORT_RECORD_TYPE', wanted, 'export HOMEPORT_RECORD_TYPE=A,AAAA'),
    ],
  }
}

/** Finds the zone by the first hostname, compares its ids with those that are set, and looks for the others in it. */
async function checkZone(
  place: Place,
  zoneId: string,
  hosts: readonly string[],
  token: string,
  hasStack: boolean,
): Promise<readonly StepFinding[]> {
  const [hostname] = hosts
  if (hostname === undefined) return []
  const setting = hasStack ? 'zoneId' : 'CLOUDFLARE_ZONE_ID'
  const labels = hostname.split('.')
  for (let at = 0; at < labels.length - 1; at += 1) {
    const name = labels.slice(at).join('.')
    const [zone] = listOf(resultOf(await place.as(token)(`/zones?${new URLSearchParams({ name })}`)))
    if (zone === undefined) continue
    const account = fieldOf(fieldOf(zone, 'account'), 'id')
    const wrong = [
      ...(fieldOf(zone, 'id') === zoneId ? [] : [setting]),
      ...(place.accountId === null || account === place.accountId
        ? []
        : [hasStack ? 'accountId' : 'CLOUDFLARE_ACCOUNT_ID']),
    ]
    if (wrong.length > 0) {
      return [
        missing(
          `${wrong.join(' and ')} ${wrong.length === 1 ? 'does' : 'do'} not match the zone ${name}.`,
          `Copy the id${wrong.length === 1 ? '' : 's'} from the zone's overview page.`,
        ),
      ]
    }
    return [
      fieldOf(zone, 'status') === 'active'
        ? ok(`The zone ${name} is active.`)
        : missing(
            `The zone ${name} is ${shown(String(fieldOf(zone, 'status')))}.`,
            'Set its name servers at the registrar.',
          ),
      ...outsideOf(name, hosts),
    ]
  }
  // A token may read the zone that it is for, and find no zone by name.
  const name = fieldOf(resultOf(await place.as(token)(`/zones/${zoneId}`)), 'name')
  if (typeof name === 'string') return outsideOf(name, hosts)
  return [note(`No zone of ${hostname} could be read by name.`)]
}

/** Reports the names that are not in a zone: Cloudflare would create them below it. */
function outsideOf(zone: string, hosts: readonly string[]): readonly StepFinding[] {
  const outside = hosts.filter(host => host !== zone && !host.endsWith(`.${zone}`))
  return outside.map(host =>
    missing(
      `${host} is not in the zone ${shown(zone)}, and a stack has one zone.`,
      'Correct the hostname or the zone ID, or use a second stack for it.',
    ),
  )
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
  { name, type }: Plan,
  isOnly: boolean,
): Promise<readonly StepFinding[]> {
  const records = await recordsAt(place, zoneId, name, token)
  // Records that the token may not read have been reported.
  if (records === null) return []
  const [first, ...others] = records.filter(record => fieldOf(record, 'type') === type)
  const own = stack ? ofType(stack.state, types.record).map(({ id }) => id) : []
  const adopted = stack?.settings?.record?.plans.map(({ importId }) => importId) ?? []
  const known: readonly unknown[] = [...own, ...adopted]
  if (records.some(record => fieldOf(record, 'type') === 'CNAME')) {
    return [missing(`${name} has a CNAME record, so it cannot have an ${type} record.`, aliasFix(type))]
  }
  if (first === undefined) return [ok(`${name} has no ${type} record. The stack creates it.`)]
  const id = String(fieldOf(first, 'id'))
  if (others.length > 0) {
    return [
      missing(
        `${name} has ${others.length + 1} ${type} records.`,
        'Compare their addresses in the dashboard, under DNS, and keep the one that people use.',
      ),
    ]
  }
  if (known.includes(id)) return [ok(`${name} has one ${type} record, which the stack knows.`)]
  const value = isOnly ? id : `'${name} ${type} ${id}'`
  return [
    {
      ...missing(
        `${name} has an ${type} record that no stack knows: ${shown(id)}. Adopt it${stack ? '' : ' when the stack exists'}.`,
        /^[0-9a-f]{32}$/.test(id)
          ? `pulumi config set --plaintext importRecordId ${value}`
          : 'Look at it in the dashboard, under DNS.',
      ),
      step: 'stack',
    },
  ]
}
