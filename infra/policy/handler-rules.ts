import { fieldOf, listOf, type ResourceRule, type StackRule, types } from './rule.ts'

/**
 * Settings of the handler that anybody may read. A list of these and not of secret ones: what nobody thought of is taken
 * for a secret, `DATABASE_URL` and `client_secret` among it.
 */
const publicNames: readonly unknown[] = [
  'ALLOWED_DOMAINS',
  'ALLOW_GUESTS',
  'CLIENT_ID',
  'GRAPH_URL',
  'INSTANCE',
  'LEGACY_LOGIN_URL',
  'PROVIDER_TIMEOUT',
  'REDIRECT_URI',
  'REQUIRE_STATE',
  'SCOPES',
  'SESSION_IDLE',
  'SESSION_LIFETIME',
  'TENANT_ID',
]

/** Whether a binding is a text of its own rather than a name of something else, such as a database. */
const holdsText = (binding: unknown) =>
  ['text', 'json'].some(field => fieldOf(binding, field) != null) ||
  ['plain_text', 'json'].some(type => fieldOf(binding, 'type') === type)

export const workerSecrets: ResourceRule = {
  name: 'worker-secrets',
  description: 'Bindings are secret_text unless anybody may read them, and secret in the state.',
  types: [types.script],
  check({ props, options }) {
    const problems = listOf(props['bindings']).flatMap(binding => {
      const [name, type] = [fieldOf(binding, 'name'), fieldOf(binding, 'type')]
      return type === 'secret_text' || !holdsText(binding) || publicNames.includes(name)
        ? []
        : [
            `binds ${String(name)} as ${String(type)}. Bind it as secret_text, or, when anybody may read it, add its name to infra/policy/handler-rules.ts.`,
          ]
    })
    if (!options.additionalSecretOutputs.includes('bindings'))
      problems.push(
        'would leave its bindings in clear in the state. Give it additionalSecretOutputs: ["bindings"].',
      )
    return problems
  },
}

export const workerLogs: ResourceRule = {
  name: 'worker-logs',
  description: 'No log of invocations, which would hold the codes of sign-ins.',
  types: [types.script],
  check({ props }) {
    const logs = fieldOf(props['observability'], 'logs')
    return fieldOf(logs, 'invocationLogs') === false
      ? []
      : [
          'may log the addresses it is called with, codes among them. Declare observability.logs.invocationLogs: false.',
        ]
  },
}

export const workerUpload: ResourceRule = {
  name: 'worker-upload',
  description: 'The Worker is a module, uploaded from its text, and insists on the state of a sign-in.',
  types: [types.script],
  check({ props }) {
    const problems: string[] = []
    if (props['mainModule'] == null)
      problems.push('would be taken for the old kind of script. Declare mainModule.')
    if (props['contentFile'] != null)
      problems.push("puts a machine's path into the state. Declare content and contentSha256.")
    const required = listOf(props['bindings']).find(binding => fieldOf(binding, 'name') === 'REQUIRE_STATE')
    if (fieldOf(required, 'text') !== 'true')
      problems.push('accepts a callback without its state. Bind REQUIRE_STATE as plain_text "true".')
    return problems
  },
}

export const domainReplacedFirst: ResourceRule = {
  name: 'domain-replaced-first',
  description: 'A custom domain is deleted before its successor is made: the service has one a hostname.',
  types: [types.domain],
  check: ({ options }) =>
    options.deleteBeforeReplace
      ? []
      : ['would be deleted after its successor, which is the same one. Give it deleteBeforeReplace: true.'],
}

export const hostsDistinct: StackRule = {
  name: 'hosts-distinct',
  description: 'The sign-in host is not the dynamic hostname.',
  check(resources) {
    const records = resources.filter(({ type }) => type === types.record)
    return resources
      .filter(({ type }) => type === types.domain)
      .flatMap(resource => {
        const taken = records.find(({ props }) => props['name'] === resource.props['hostname'])
        return taken
          ? [
              {
                resource,
                message: `has the host of the record ${taken.name}, and the service refuses that. Choose another host.`,
              },
            ]
          : []
      })
  },
}

export const oneRedirect: StackRule = {
  name: 'one-redirect',
  description: 'The handler uses the redirect address that is registered, character for character.',
  check(resources) {
    const registered = resources
      .filter(({ type }) => type === types.application)
      .flatMap(({ props }) => listOf(fieldOf(props['web'], 'redirectUris')))
    return resources
      .filter(({ type }) => type === types.script)
      .flatMap(resource => {
        const bound = listOf(resource.props['bindings']).find(one => fieldOf(one, 'name') === 'REDIRECT_URI')
        const used = fieldOf(bound, 'text')
        return registered.includes(used)
          ? []
          : [{ resource, message: `uses ${String(used)}, which is not registered. Give both the same text.` }]
      })
  },
}
