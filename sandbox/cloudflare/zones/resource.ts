import { domainToASCII, domainToUnicode } from 'node:url'
import { accountName } from '../accounts/resource.ts'
import { type Outcome, success } from '../envelope.ts'
import { refuse } from '../errors.ts'
import { pageOf } from '../paging.ts'
import type { Call, Route, ZoneCall } from '../route.ts'
import type { Zone } from '../store.ts'
import type { Permission } from '../tokens/permission-groups.ts'
import { allows } from '../tokens/token.ts'

const pageSize = { default: 20, max: 50, capped: true } as const

/** The free plan, as shown in a zone. */
const plan = {
  id: '0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  name: 'Free Website',
  price: 0,
  currency: 'USD',
  frequency: '',
  is_subscribed: false,
  can_subscribe: false,
  legacy_id: 'free',
  legacy_discount: false,
  externally_managed: false,
}

const meta = {
  step: 2,
  custom_certificate_quota: 0,
  page_rule_quota: 3,
  phishing_detected: false,
}

/** Returns a zone as served. Its name is in Unicode, unlike the names of records (cloudflare-go issue 688). */
export const zoneView = ({ id, name, status, nameServers, createdOn }: Zone, accountId: string) => ({
  id,
  name: domainToUnicode(name),
  status,
  paused: false,
  type: 'full' as const,
  development_mode: 0,
  name_servers: [...nameServers],
  original_name_servers: null,
  original_registrar: null,
  original_dnshost: null,
  modified_on: createdOn,
  created_on: createdOn,
  activated_on: status === 'active' || status === 'moved' ? createdOn : null,
  vanity_name_servers: [] as string[],
  vanity_name_servers_ips: null,
  meta,
  owner: { id: null, type: 'user', email: null },
  account: { id: accountId, name: accountName },
  tenant: { id: null, name: null },
  tenant_unit: { id: null },
  permissions: ['#dns_records:edit', '#dns_records:read', '#zone:read'],
  plan,
})

type View = ReturnType<typeof zoneView>

/** The operators of a filter such as `contains:text`. A filter without an operator means `equal`. */
const operators: Readonly<Record<string, (name: string, wanted: string) => boolean>> = {
  equal: (name, wanted) => name === wanted,
  not_equal: (name, wanted) => name !== wanted,
  starts_with: (name, wanted) => name.startsWith(wanted),
  ends_with: (name, wanted) => name.endsWith(wanted),
  contains: (name, wanted) => name.includes(wanted),
}

function comparison(sent: string): (name: string) => boolean {
  const [, operator = 'equal', wanted = sent] = /^([a-z_]+):(.*)$/s.exec(sent) ?? []
  const known = operator.replace(/_case_sensitive$/, '')
  const compare = Object.hasOwn(operators, known) ? operators[known] : undefined
  return name => compare?.(name.toLowerCase(), wanted.toLowerCase()) ?? false
}

/** Tests the name of a zone. A trailing dot is ignored, because libdns sends one. */
function nameTest(sent: string): (zone: View) => boolean {
  const fits = comparison(sent.replace(/\.$/, ''))
  return ({ name }) => fits(name) || fits(domainToASCII(name))
}

const orders: Readonly<Record<string, (zone: View) => string>> = {
  name: zone => zone.name,
  status: zone => zone.status,
  'account.id': zone => zone.account.id,
  'account.name': zone => zone.account.name,
  'plan.id': zone => zone.plan.id,
}

/** Filters and sorts zones by a query. */
function select(zones: readonly View[], query: URLSearchParams, cite: Call['cite']): View[] {
  const tests: ((zone: View) => boolean)[] = []
  function add(parameter: string, test: (sent: string) => (zone: View) => boolean) {
    const sent = query.get(parameter)
    if (sent !== null) tests.push(test(sent))
  }
  add('name', nameTest)
  add('status', sent => zone => zone.status === sent)
  add('type', sent => zone => sent.split(',').includes(zone.type))
  add('account.id', sent => zone => zone.account.id === sent)
  add('account.name', sent => zone => comparison(sent)(zone.account.name))
  const any = query.get('match') === 'any' && tests.length > 0
  const found = zones.filter(zone => (any ? tests.some(test => test(zone)) : tests.every(test => test(zone))))
  const order = query.get('order') ?? ''
  const key = Object.hasOwn(orders, order) ? orders[order] : undefined
  if (key) found.sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
  if (query.get('direction') === 'desc') found.reverse()
  if (Number(query.get('per_page')) > pageSize.max || /\.$/.test(query.get('name') ?? ''))
    cite('zones.list.capped')
  const plain = [...query.keys()].every(name => ['name', 'status', 'page', 'per_page'].includes(name))
  if (!plain || /^[a-z_]+:/.test(query.get('name') ?? '')) cite('zones.list.filters')
  return found
}

/** Handles GET /zones. Returns the zones that the token can access. */
function listZones({ parts: { store, accountId }, token, query, cite }: Call): Outcome {
  cite('zones.list')
  const may = (permission: Permission, zone: string) =>
    allows(token, permission, { on: 'zone', account: accountId, zone })
  const name = query.get('name')
  if (name === null && !may('zoneRead', '*')) {
    return refuse(403, 'zones.list.scoped', {
      code: 0,
      message: `Actor 'com.cloudflare.api.token.${token.id}' requires permission 'com.cloudflare.api.account.zone.list' to list zones`,
    })
  }
  if (name !== null && !may('zoneRead', '*')) cite('zones.list.scoped-by-name')
  const zones = store
    .zones()
    .filter(({ id }) => may('zoneRead', id) || may('dnsRead', id))
    .map(zone => zoneView(zone, accountId))
  return pageOf(select(zones, query, cite), query, pageSize)
}

/** Handles GET /zones/{id}. */
function getZone({ parts: { accountId }, zone, cite }: ZoneCall): Outcome {
  cite('zones.get')
  return success(zoneView(zone, accountId))
}

/** Handles GET …/pagerules. There are none, but some clients read them with every zone. */
function listPageRules({ cite }: ZoneCall): Outcome {
  cite('zones.page-rules')
  return success([])
}

export const zoneRoutes: readonly Route[] = [
  { method: 'GET', pattern: '/zones', on: 'self', handle: listZones },
  {
    method: 'GET',
    pattern: '/zones/:zone',
    on: 'zone',
    requires: 'zoneRead',
    or: 'dnsRead',
    handle: getZone,
  },
  {
    method: 'GET',
    pattern: '/zones/:zone/pagerules',
    on: 'zone',
    requires: 'pageRulesRead',
    handle: listPageRules,
  },
]
