import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sodium from 'libsodium-wrappers'
import type { Services } from '../support/engine/services.ts'
import { ask, askOrThrow, graphToken } from '../support/services.ts'
import type { Program } from './terminal.ts'

/** Object id of the service principal of Microsoft Graph in the tenant. */
const graphPrincipal = '99999999-2222-3333-4444-555555555555'

export const storageAccount = 'homeportstate1'

/** The options of `az` on the page. Each takes a value. */
const azureOptions =
  `account-name allow-blob-public-access allow-shared-key-access api api-permissions assignee-object-id
  assignee-principal-type delete-retention-days display-name enable-delete-retention enable-versioning id location min-tls-version
  name output parameters query resource-group resource-type role scope sign-in-audience sku storage-account`.split(
    /\s+/,
  )
const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const fields = { type: 'string', multiple: true } as const

/** Returns `az` for the emulated tenant. An unknown command or option fails. */
export function azureCli(services: Services): Program {
  const { entra } = services.sandbox.description
  const options = Object.fromEntries(azureOptions.map(name => [name, text]))
  const principalOf = (appId: string) =>
    services.state.entra.servicePrincipals.find(principal => principal.appId === appId)?.id
  return async ({ args }) => {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const given = (name: string) => String(values[name] ?? '')
    const id = given('id')
    const path = () => `/applications/${services.applicationOf(id).id}`
    const command = positionals.join(' ')
    switch (command) {
      case 'login':
        return ''
      case 'version':
        return '{"azure-cli": "2.80.0"}\n'
      case 'account show':
        return `${entra.tenantId}\n`
      case 'account get-access-token':
        return `${await graphToken(entra)}\n`
      case 'ad signed-in-user show':
        return `${entra.deployer.objectId}\n`
      case 'ad app create': {
        const body = { displayName: given('display-name'), signInAudience: given('sign-in-audience') }
        return `${(await services.graph('POST', '/applications', body))[given('query')]}\n`
      }
      case 'ad sp create':
        return `${(await services.graph('POST', '/servicePrincipals', { appId: id }))[given('query')]}\n`
      case 'ad sp show':
        return `${principalOf(id)}\n`
      case 'ad app permission add': {
        const [role = '', type] = given('api-permissions').split('=')
        const access = { resourceAppId: given('api'), resourceAccess: [{ id: role, type }] }
        await services.graph('PATCH', path(), { requiredResourceAccess: [access] })
        return ''
      }
      case 'ad app permission admin-consent': {
        const [access] = services.applicationOf(id).requiredResourceAccess as readonly {
          readonly resourceAccess: readonly { readonly id: string }[]
        }[]
        const principalId = principalOf(id)
        const appRoleId = access?.resourceAccess[0]?.id
        const body = { principalId, appRoleId, resourceId: graphPrincipal }
        await services.graph('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, body)
        return ''
      }
      case 'ad app federated-credential create': {
        const sent = JSON.parse(given('parameters'))
        return `${(await services.graph('POST', `${path()}/federatedIdentityCredentials`, sent))[given('query')]}\n`
      }
      // The storage account has no emulator, so these only print what the page says.
      case 'group create':
      case 'storage account create':
        return 'Succeeded\n'
      case 'storage account blob-service-properties update':
        return `${values['enable-versioning']}\n`
      case 'storage container-rm create':
        return `${values['name']}\n`
      case 'storage account show':
        return `/subscriptions/1/resourceGroups/homeport/providers/Microsoft.Storage/storageAccounts/${values['name']}\n`
      case 'role assignment create':
        return `${values['assignee-principal-type']}\n`
      default:
        throw new Error(`The tests do not know this command: az ${args.join(' ')}`)
    }
  }
}

/** Returns `gh` for the emulated repository. An unknown command or option fails. */
export function gitHubCli(services: Services): Program {
  const { github } = services.sandbox.description
  const repository = `${github.owner}/${github.repository}`
  const gitHub = (method: string, path: string, body?: object) =>
    askOrThrow(method, `${github.baseUrl}${path}`, github.token, body)
  return async ({ args, stdin, folder }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        ...{
          scopes: text,
          source: text,
          remote: text,
          env: text,
          repo: text,
          body: text,
          method: text,
          jq: text,
        },
        ...{ private: flag, push: flag, silent: flag, version: flag },
        field: { ...fields, short: 'F' },
        'raw-field': { ...fields, short: 'f' },
      },
      allowPositionals: true,
    })
    const [area = '', verb = '', name = ''] = positionals
    const own = `repos/${values.repo ?? repository}`
    const place = `${own}${values.env === undefined ? '/actions' : `/environments/${values.env}`}`
    switch (values.version ? 'version' : area === 'api' ? area : `${area} ${verb}`) {
      case 'version':
        return 'gh version 2.83.1 (2025-11-13)\n'
      case 'auth login':
        return ''
      case 'auth token':
        return `${github.token}\n`
      case 'repo create': {
        const bare = join(services.folder, 'origin.git')
        execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
        execFileSync('git', ['remote', 'add', values.remote ?? '', bare], { cwd: folder })
        execFileSync('git', ['push', '--quiet', '--set-upstream', 'origin', 'HEAD:main'], { cwd: folder })
        return `✓ Created repository ${name} on github.com\n`
      }
      case 'api': {
        if (verb === 'user') return '7\n'
        // No emulator keeps which branches may deploy.
        if (verb.endsWith('/deployment-branch-policies')) return ''
        const answer = await gitHub(
          values.method ?? 'GET',
          verb,
          values.method === undefined ? undefined : {},
        )
        return values.silent ? '' : `${answer[(values.jq ?? '').slice(1)]}\n`
      }
      case 'secret set': {
        const { key, key_id } = await gitHub('GET', `${place}/secrets/public-key`)
        const box = sodium.crypto_box_seal(stdin.trim(), new Uint8Array(Buffer.from(String(key), 'base64')))
        const encrypted_value = Buffer.from(box).toString('base64')
        await gitHub('PUT', `${place}/secrets/${name}`, { key_id, encrypted_value })
        return `✓ Set Actions secret ${name} for ${values.repo}\n`
      }
      case 'variable set': {
        const body = { name, value: values.body }
        const { status } = await ask('POST', `${github.baseUrl}${place}/variables`, github.token, body)
        if (status === 409) await gitHub('PATCH', `${place}/variables/${name}`, body)
        else if (status !== 201) throw new Error(`GitHub answered ${status}.`)
        return `✓ Created variable ${name} for ${values.repo}\n`
      }
      case 'variable delete':
        await gitHub('DELETE', `${place}/variables/${name}`)
        return ''
      case 'workflow enable':
        await gitHub('PUT', `${own}/actions/workflows/${name}/enable`)
        return ''
      default:
        throw new Error(`The tests do not know this command: gh ${args.join(' ')}`)
    }
  }
}
