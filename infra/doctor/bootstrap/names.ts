import { isInDomain } from '../../../lib/url.ts'
import { fieldOf, valueAt } from '../../json.ts'
import { adoption, aliasFix, zoneNameIn } from '../../resources/existing-record.ts'
import { readHostnames, titleOf } from '../../settings/readers.ts'
import type { RecordPlan } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { ofType } from '../../stack-state.ts'
import { resultOf, type Send } from '../services.ts'
import type { Local } from './stack.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, missing } = findingsOf('cloudflare')

/** Checks that the hostnames are in the zone, and free or to be adopted. @param send with the deploy token */
export async function checkNames(
  send: Send,
  { stack, plan }: Local,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  if (!plan.hasRecord || plan.zoneId === null) return []
  const given = readHostnames(env['HOMEPORT_HOSTNAME'] ?? '')
  const names = 'value' in given ? given.value : []
  const records =
    stack?.settings?.record?.plans ?? names.map(name => ({ name, type: 'A', importId: null }) as const)
  if (records.length === 0 && 'problems' in given)
    return given.problems.map(problem =>
      missing(`HOMEPORT_HOSTNAME ${problem}`, 'export HOMEPORT_HOSTNAME=home.example.com'),
    )
  const read = async (path: string) => resultOf(await send(`/zones/${plan.zoneId}${path}`))
  const zone = await read('')
  const wrong = zone === null ? [] : checkZone(zone, plan.accountId, records)
  // In another zone, nothing about the records would be true.
  if (wrong.length > 0) return wrong
  const findings: Finding[] = []
  for (const record of records) {
    const found = await read(`/dns_records?${new URLSearchParams({ name: record.name })}`)
    if (Array.isArray(found)) findings.push(checkRecord(record, found, stack, records.length === 1))
    else if (zone === null)
      return [
        missing(
          'The deploy token may read neither the zone nor its records.',
          "Compare the zone ID with the zone's overview page. If it is right, check the token.",
        ),
      ]
  }
  return findings
}

/** Finds names that are not in the zone, below which Cloudflare would create them, and another account. */
function checkZone(
  zone: unknown,
  accountId: string | null,
  records: readonly RecordPlan[],
): readonly Finding[] {
  const name = zoneNameIn(zone) ?? ''
  const hosts = new Set(records.map(record => record.name))
  const outside = [...hosts].filter(host => !isInDomain(host, name))
  const isElsewhere = accountId !== null && valueAt(zone, 'account.id') !== accountId
  return [
    ...outside.map(host =>
      missing(
        `${host} is not in the zone ${shown(name)}, and a stack has one zone.`,
        'Correct the hostname or the zone ID, or use a second stack for it.',
      ),
    ),
    ...(isElsewhere
      ? [missing(`The zone ${shown(name)} is not in that account.`, 'Copy both ids from its overview page.')]
      : []),
  ]
}

function checkRecord(
  record: RecordPlan,
  found: readonly unknown[],
  stack: Local['stack'],
  isOnly: boolean,
): Finding {
  const { name, type, importId } = record
  if (found.some(one => fieldOf(one, 'type') === 'CNAME'))
    return missing(`${name} has a CNAME record, so it cannot have an ${type} record.`, aliasFix(type))
  const ids = found.filter(one => fieldOf(one, 'type') === type).map(one => String(fieldOf(one, 'id')))
  const [id = ''] = ids
  const isKnown = stack && ofType(stack.state, types.record).some(one => one.id === id)
  const known = `${name} has one ${type} record, which the stack ${isKnown ? 'knows' : 'adopts'}.`
  if (ids.length === 0) return ok(`${name} has no ${type} record. The stack creates it.`)
  if (ids.length > 1)
    return missing(
      `${name} has ${ids.length} ${type} records.`,
      'Compare their addresses in the dashboard, under DNS, and keep the one that people use.',
    )
  if (isKnown || importId === id) return ok(known)
  return findingsOf('stack').missing(
    `${name} has an ${type} record that no stack knows: ${shown(id)}. Adopt it${stack ? '' : ' when the stack exists'}.`,
    adoption(id, isOnly ? null : titleOf(record)),
  )
}
