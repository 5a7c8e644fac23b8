import { rows } from '../../src/settings/table.ts'
import { fieldOf, listOf } from '../json.ts'
import { types } from '../stack-facts.ts'
import { otherInputs } from './declared-rules.ts'
import { publicTextsOf } from './push-rules.ts'
import type { Declared, ResourceRule, StackRule } from './rule.ts'

/** Texts that the handler's Worker can show. Any name that is not listed counts as a secret, such as `DATABASE_URL`. */
const publicNames: readonly unknown[] = rows.flatMap(([name, { read, secret, only }]) =>
  read && !secret && only !== 'node' ? [name] : [],
)

/** Types whose value is plain text in the account. */
const plainTypes: readonly unknown[] = ['plain_text', 'json']

/**
 * Reports whether a binding could show a secret. Judges by type and name first: before the first deployment some values
 * are unknown, and a rule that reads an unknown value is only advisory.
 */
function showsSecret(binding: unknown, shownNames: readonly unknown[]): boolean {
  const type = fieldOf(binding, 'type')
  if (type === 'secret_text' || shownNames.includes(fieldOf(binding, 'name'))) return false
  return plainTypes.includes(type) || ['text', 'json'].some(field => fieldOf(binding, field) != null)
}

export const workerSecrets: ResourceRule = {
  name: 'worker-secrets',
  description: 'Bindings are secret_text unless they are public, and secret in the state.',
  types: [types.script],
  check({ name: resource, props, options }) {
    const own = publicTextsOf(resource)
    const shownNames = own ?? publicNames
    const fix = own
      ? `It shows only ${own.join(' and ')}.`
      : 'If it is a public setting, add it to src/settings/table.ts.'
    const problems = listOf(props['bindings'])
      .filter(one => showsSecret(one, shownNames))
      .map(binding => {
        const [name, type] = [fieldOf(binding, 'name'), fieldOf(binding, 'type')]
        return `binds ${String(name)} as ${String(type)}. Bind it as secret_text. ${fix}`
      })
    if (!options.additionalSecretOutputs.includes('bindings'))
      problems.push(
        'would leave its bindings in plain text in the state. Add additionalSecretOutputs: ["bindings"].',
      )
    return problems
  },
}

export const workerLogs: ResourceRule = {
  name: 'worker-logs',
  description: 'Invocation logs are off, because they would contain sign-in codes, or passwords in a query.',
  types: [types.script],
  check({ props }) {
    const logs = fieldOf(props['observability'], 'logs')
    return fieldOf(logs, 'invocationLogs') === false
      ? []
      : [
          'may log the URLs of its requests, and with them sign-in codes or passwords. Declare observability.logs.invocationLogs: false.',
        ]
  },
}

/** What the program declares of a Worker. The provider adds the default of `usageModel`. */
const inputs = [
  'accountId',
  'scriptName',
  'mainModule',
  'content',
  'contentSha256',
  'compatibilityDate',
  'bindings',
  'observability',
  'usageModel',
]

export const workerUpload: ResourceRule = {
  name: 'worker-upload',
  description:
    'A Worker is a module, is uploaded as text, and declares nothing else. The handler says whether a sign-in needs its state, and limits failed ones.',
  types: [types.script],
  check({ name, props }) {
    const problems: string[] = []
    if (props['mainModule'] == null)
      problems.push('would be uploaded as a service-worker script. Declare mainModule.')
    const more = otherInputs(props, inputs)
    if (more.length > 0)
      problems.push(`declares ${more.join(', ')}, which this program does not use. Remove it.`)
    if (publicTextsOf(name)) return problems
    const required = listOf(props['bindings']).find(binding => fieldOf(binding, 'name') === 'REQUIRE_STATE')
    if (!['true', 'false'].includes(String(fieldOf(required, 'text'))))
      problems.push(
        'does not say whether a callback needs its state. Bind REQUIRE_STATE as plain_text "true".',
      )
    const limit = listOf(props['bindings']).find(binding => fieldOf(binding, 'name') === 'FAILED_CALLBACKS')
    if (fieldOf(limit, 'type') !== 'ratelimit')
      problems.push('does not limit failed sign-ins. Bind FAILED_CALLBACKS as ratelimit.')
    return problems
  },
}

export const domainReplacedFirst: ResourceRule = {
  name: 'domain-replaced-first',
  description:
    'A custom domain is deleted before its replacement is created: the service has one per hostname.',
  types: [types.domain],
  check: ({ options }) =>
    options.deleteBeforeReplace
      ? []
      : ['would be deleted after its replacement, which is the same domain. Add deleteBeforeReplace: true.'],
}

export const hostsDistinct: StackRule = {
  name: 'hosts-distinct',
  description: 'The host of each Worker is its own, and not a dynamic hostname.',
  check(resources) {
    const records = resources.filter(({ type }) => type === types.record)
    const domains = resources.filter(({ type }) => type === types.domain)
    const shared = domains.flatMap((resource, index) => {
      const other = domains.find(({ props }) => props['hostname'] === resource.props['hostname'])
      return other === domains[index] || other === undefined
        ? []
        : [{ resource, message: `has the hostname of ${other.name}. Use another host.` }]
    })
    return [
      ...shared,
      ...domains.flatMap(resource => {
        const taken = records.find(({ props }) => props['name'] === resource.props['hostname'])
        return taken
          ? [
              {
                resource,
                message: `has the hostname of the record ${taken.name}, which the service refuses. Use another host.`,
              },
            ]
          : []
      }),
    ]
  },
}

/** The root of the stack, whose outputs say what a handler on a host uses. */
const root = 'pulumi:pulumi:Stack'

/** Returns the redirect URIs that a resource's handler uses; null if it has no handler. */
function usedBy({ type, name, props }: Declared, isOnHost: boolean): readonly string[] | null {
  if (type === types.script && !publicTextsOf(name) && !isOnHost) {
    const bound = listOf(props['bindings']).find(one => fieldOf(one, 'name') === 'REDIRECT_URI')
    return String(fieldOf(bound, 'text')).split(',')
  }
  const output = type === root && isOnHost ? props['redirectUri'] : null
  return typeof output === 'string' ? output.split(',') : null
}

export const sameRedirects: StackRule = {
  name: 'same-redirects',
  description: 'The handler uses exactly the registered redirect URIs, character by character.',
  check(resources) {
    const registrations = resources
      .filter(({ type }) => type === types.application)
      .map(resource => ({
        resource,
        uris: listOf(fieldOf(resource.props['web'], 'redirectUris')).map(String),
      }))
    // A refreshed run also shows the Worker that it is about to delete (seen with 3.259.0).
    const isOnHost = resources.some(
      ({ type, props }) => type === root && Object.hasOwn(props, 'handlerSettings'),
    )
    const handlers = resources.flatMap(resource => {
      const uris = usedBy(resource, isOnHost)
      return uris === null ? [] : [{ resource, uris }]
    })
    const lacks = (those: typeof handlers, uri: string) => !those.some(({ uris }) => uris.includes(uri))
    return [
      ...handlers.flatMap(({ resource, uris }) =>
        uris
          .filter(uri => lacks(registrations, uri))
          .map(uri => ({
            resource,
            message: `uses ${uri}, which is not registered. Use the same text for both.`,
          })),
      ),
      // Without outputs, a handler on a host is not known yet.
      ...(handlers.length === 0 ? [] : registrations).flatMap(({ resource, uris }) =>
        uris
          .filter(uri => lacks(handlers, uri))
          .map(uri => ({
            resource,
            message: `has ${uri}, which the handler does not use. Remove it: what it leads to gets codes.`,
          })),
      ),
    ]
  },
}
