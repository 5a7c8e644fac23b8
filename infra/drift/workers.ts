import { quoteValue } from '../../lib/quote.ts'
import { findIn, presentIn, type StackState, type StateResource } from '../exported-state.ts'
import { fieldOf, listOf, textOf, valueAt } from '../json.ts'
import { clockNames, isOfClock, isOfPush, types } from '../resource-names.ts'
import { clockBindings, cronsIn } from '../resources/clock-bindings.ts'
import { pushBindings } from '../resources/push-bindings.ts'
import { type Binding, handlerBindings } from '../resources/worker-bindings.ts'
import {
  changeDifferences,
  type Difference,
  differs,
  type Field,
  fieldDifferences,
  inDashboard,
} from './difference.ts'
import { rotateToken } from './expiry.ts'
import type { Check, Look } from './look.ts'
import { scriptPath } from './rows.ts'

/**
 * Compares the bindings of each Worker with those that follow from the configuration, because in the state they are one secret,
 * and the time of its last change with the time of its last upload.
 */
export const workerChecks: Check = async look => {
  const scripts = presentIn(look.state, types.script).map(async one => {
    const service = String(one.inputs['scriptName'])
    const path = scriptPath(one)
    const read = (from: string) => look.cloudflare.one(from, `the Worker ${service}`)
    const [settings, all] = [await read(`${path}/settings`), await read(path.replace(/\/[^/]*$/, ''))]
    const schedules = await read(`${path}/schedules`)
    const wanted = wantedOf(one, look)
    const danger =
      isOfPush(one.name) || isOfClock(one.name) ? '' : ', and with SESSION_KEYS can sign in as anybody'
    const fix = `Find out who changed it. ${uploadAgain(one.name)}`
    const found = listOf(all).find(each => fieldOf(each, 'id') === service)
    return [
      ...(settings && wanted
        ? bindingDifferences(service, listOf(fieldOf(settings, 'bindings')), wanted, fix)
        : []),
      ...(schedules ? scheduleDifferences(service, schedules, one, look) : []),
      ...changeDifferences(
        `The Worker ${service}`,
        fieldOf(found, 'modified_on'),
        one.outputs['modifiedOn'],
        `Where no other line names the change, somebody replaced a secret${danger}. ${fix}`,
      ),
    ]
  })
  return (await Promise.all(scripts)).flat()
}

/** A command that signs nobody out: it adds a key. */
const addKey =
  'KEYS=$(pulumi config get sessionKeys | npm run -s keys -- add -) && printf %s "$KEYS" | pulumi config set --secret sessionKeys, then pulumi up'

/** Returns the commands that change a secret of a Worker: only an upload sets again what somebody changed. */
function uploadAgain(name: string): string {
  const clock = 'pulumi config set --secret clockToken, with a new token of GitHub, then pulumi up'
  const own = isOfPush(name) ? rotateToken() : addKey
  return `Then upload everything again: ${isOfClock(name) ? clock : own}.`
}

/** Compares the cron triggers of a Worker, whose schedules the provider does not refresh. */
function scheduleDifferences(
  service: string,
  schedules: unknown,
  { name }: StateResource,
  { settings: { clock }, state }: Look,
): readonly Difference[] {
  const isClock = clock !== null && isOfClock(name)
  const trigger = findIn(state, types.trigger, clockNames.trigger)
  // A trigger that the state lacks is named with everything that it lacks.
  if (isClock && !trigger) return []
  const fix = isClock
    ? 'Find out who changed it. Then run pulumi up, which sends it again.'
    : `Delete it ${inDashboard(service, 'Trigger Events')}.`
  const wanted = isClock ? cronsIn(trigger?.inputs) : []
  const field: Field = ['cron triggers', cronsIn(schedules), wanted, fix]
  return fieldDifferences(`The Worker ${service}`, [field])
}

/** A declared binding. Its value is null if it is secret, or if the state does not have it yet. */
type Wanted = Binding<string | null>

/** Returns what the configuration declares for a Worker; null if it has no such part. */
function wantedOf(
  { name }: StateResource,
  { settings: { zoneId, signIn, push, clock }, state, apiUrl }: Look,
): readonly Wanted[] | null {
  if (isOfClock(name)) return clock === null ? null : clockBindings<string | null>(clock, null)
  if (isOfPush(name)) {
    const secrets = { apiToken: null, hosts: null }
    return push && pushBindings<string | null>(zoneId, apiUrl, secrets)
  }
  // Which certificates are bound only the state tells: their keys are encrypted.
  const [certificate, next] = presentIn(state, types.certificate).map(() => null)
  const secrets = {
    clientSecrets: null,
    sessionKeys: null,
    clientCertificate: certificate,
    clientCertificateNext: next,
  }
  return signIn?.worker ? handlerBindings<string | null>(signIn, { ...idsIn(state), ...secrets }) : null
}

/** Returns the ids that the handler is bound to. A failed run leaves them in the state, but sets no outputs. */
function idsIn(state: StackState) {
  const [application, principal] = [findIn(state, types.application), findIn(state, types.principal)]
  return {
    databaseId: findIn(state, types.database)?.id ?? null,
    clientId: textOf(application?.outputs, 'clientId'),
    tenantId: textOf(principal?.outputs, 'applicationTenantId'),
  }
}

/** Compares plain values whole, and secret ones by their presence. */
function bindingDifferences(
  service: string,
  found: readonly unknown[],
  wanted: readonly Wanted[],
  fix: string,
): readonly Difference[] {
  const ofWorker = (text: string, more = '') => differs(`The Worker ${service} ${text}`, fix + more)
  const missingOrChanged = wanted.flatMap(one => {
    const there = found.find(each => fieldOf(each, 'name') === one.name)
    if (there === undefined) return [ofWorker(`has no binding ${one.name} (${one.type}).`)]
    const type = textOf(there, 'type')
    if (type !== one.type) {
      const replace = one.type === 'secret_text' ? ' Then replace the secret: it could be read.' : ''
      return [ofWorker(`binds ${one.name} as ${quoteValue(type)} instead of ${one.type}.`, replace)]
    }
    // Cloudflare never returns secrets, and some values are unknown before the first deployment.
    const value = plainOf(there)
    const declared = one.type === 'secret_text' ? null : plainOf(one)
    if (declared === null || declared === value) return []
    return [ofWorker(`has ${one.name} = ${quoteValue(value)} instead of ${quoteValue(declared)}.`)]
  })
  const more = found
    .filter(one => !wanted.some(({ name }) => name === fieldOf(one, 'name')))
    // Its value is not printed, because nobody declared it public.
    .map(one =>
      ofWorker(
        `has a binding ${quoteValue(textOf(one, 'name'))} (${quoteValue(textOf(one, 'type'))}), which is not declared.`,
      ),
    )
  return [...missingOrChanged, ...more]
}

/** Returns the text, database ID or request limit of a binding, declared or as Cloudflare returns it; null if it has none. */
function plainOf(binding: unknown): string | null {
  const [limit, period] = [valueAt(binding, 'simple.limit'), valueAt(binding, 'simple.period')]
  if (typeof limit === 'number' && typeof period === 'number') return `${limit} in ${period} s`
  const names = ['text', 'database_id', 'databaseId', 'id']
  return names.map(name => textOf(binding, name)).find(text => text !== null) ?? null
}

/** Finds Workers routes for a host of the stack. A route goes before a custom domain (Workers, Routes). */
export const routeChecks: Check = async ({ settings, push, serviceName, cloudflare }) => {
  const { zoneId } = settings
  const handlerHost = settings.signIn?.worker?.host
  const hosts = [
    [handlerHost, serviceName, 'codes and cookies', 'replace sessionKeys'],
    [settings.push?.host, push.serviceName, 'passwords of routers', 'change those in pushHosts'],
  ] as const
  const lists = hosts.map(async ([host, own, seen, fix]) => {
    if (host === undefined) return []
    const routes = await cloudflare.all(`/zones/${zoneId}/workers/routes`, 'the Workers routes')
    return routes
      .filter(one => textOf(one, 'script') !== own && covers(textOf(one, 'pattern') ?? '', host))
      .map(one => {
        const script = textOf(one, 'script')
        return differs(
          `The Workers route ${quoteValue(textOf(one, 'pattern'))} (${quoteValue(textOf(one, 'id'))}) sends requests for ${host} to ${script ? `the Worker ${quoteValue(script)}` : 'no Worker'} instead of ${own}.`,
          `What gets them sees ${seen}. Find out who added it, and change it in the dashboard, under the zone, Workers Routes. If you did not know it, ${fix} too.`,
        )
      })
  })
  return (await Promise.all(lists)).flat()
}

/** Whether the host of a pattern, which can start with `*`, matches. Any path counts. */
function covers(pattern: string, host: string): boolean {
  const wanted = pattern
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')
  return wanted.startsWith('*') ? host.endsWith(wanted.slice(1)) : wanted === host
}
