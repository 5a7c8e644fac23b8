import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import sodium from 'libsodium-wrappers'
import type { Services } from '../support/engine/services.ts'
import { ask, askOrThrow, graphToken } from '../support/services.ts'
import type { Call, Program } from './terminal.ts'

/** Object id of the service principal of Microsoft Graph in the tenant. */
const graphPrincipal = '99999999-2222-3333-4444-555555555555'

export const storageAccount = 'homeportstate1'

/** What each command of a program does. Resolves to what it prints. */
type Commands = Readonly<Record<string, () => unknown>>

/** Runs the command that an emulated program was given. @throws Error for one that the tests do not know */
async function run(program: string, { args }: Call, commands: Commands): Promise<string> {
  const name = Object.keys(commands).find(known => args.join(' ').startsWith(known)) ?? ''
  if (!commands[name]) throw new Error(`The tests do not know this command: ${program} ${args.join(' ')}`)
  const printed = await commands[name]()
  return printed === undefined ? '' : `${printed}\n`
}

/** Returns what reads the value of an option. */
const optionsOf =
  ({ args }: Call) =>
  (name: string): string =>
    args.includes(`--${name}`) ? (args[args.indexOf(`--${name}`) + 1] ?? '') : ''

/** Returns `az` for the emulated tenant. The storage account has no emulator, so its commands only print what the page says. */
export function azureCli(services: Services): Program {
  const { entra } = services.sandbox.description
  const principalOf = (appId: string) =>
    services.state.entra.servicePrincipals.find(principal => principal.appId === appId)?.id
  return call => {
    const option = optionsOf(call)
    const id = option('id')
    const create = async (path: string, body: object) =>
      (await services.graph('POST', path, body))[option('query')]
    const own = () => `/applications/${services.applicationOf(id).id}`
    return run('az', call, {
      login: () => undefined,
      version: () => '{"azure-cli": "2.80.0"}',
      'account show': () => entra.tenantId,
      'account get-access-token': () => graphToken(entra),
      'ad signed-in-user show': () => entra.deployer.objectId,
      'ad app create': () =>
        create('/applications', {
          displayName: option('display-name'),
          signInAudience: option('sign-in-audience'),
        }),
      'ad sp create': () => create('/servicePrincipals', { appId: id }),
      'ad sp show': () => principalOf(id),
      async 'ad app permission add'() {
        const [role = '', type] = option('api-permissions').split('=')
        const access = { resourceAppId: option('api'), resourceAccess: [{ id: role, type }] }
        await services.graph('PATCH', own(), { requiredResourceAccess: [access] })
      },
      async 'ad app permission admin-consent'() {
        const [access] = services.applicationOf(id).requiredResourceAccess as readonly {
          readonly resourceAccess: readonly { readonly id: string }[]
        }[]
        const principalId = principalOf(id)
        const body = { principalId, appRoleId: access?.resourceAccess[0]?.id, resourceId: graphPrincipal }
        await services.graph('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, body)
      },
      'ad app federated-credential create': () =>
        create(`${own()}/federatedIdentityCredentials`, JSON.parse(option('parameters'))),
      'group create': () => 'Succeeded',
      'storage account create': () => 'Succeeded',
      'storage account blob-service-properties update': () => option('enable-versioning'),
      'storage container-rm create': () => option('name'),
      'storage account show': () =>
        `/subscriptions/1/resourceGroups/homeport/providers/Microsoft.Storage/storageAccounts/${option('name')}`,
      'role assignment create': () => option('assignee-principal-type'),
    })
  }
}

/** Returns `gh` for the emulated repository. */
export function gitHubCli(services: Services): Program {
  const { github } = services.sandbox.description
  const gitHub = (method: string, path: string, body?: object) =>
    askOrThrow(method, `${github.baseUrl}${path}`, github.token, body)
  return call => {
    const { args, stdin, folder } = call
    const option = optionsOf(call)
    const [, , name = ''] = args
    const own = `repos/${option('repo') || `${github.owner}/${github.repository}`}`
    const place = `${own}${option('env') ? `/environments/${option('env')}` : '/actions'}`
    const git = (cwd: string, ...words: string[]) => void execFileSync('git', words, { cwd })
    return run('gh', call, {
      '--version': () => 'gh version 2.83.1 (2025-11-13)',
      'auth login': () => undefined,
      'auth token': () => github.token,
      'repo create'() {
        const bare = join(services.folder, 'origin.git')
        git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare)
        git(folder, 'remote', 'add', option('remote'), bare)
        git(folder, 'push', '--quiet', '--set-upstream', 'origin', 'HEAD:main')
        return `✓ Created repository ${name} on github.com`
      },
      async api() {
        const path = args.find(arg => arg.startsWith('repos/')) ?? 'user'
        if (path === 'user') return '7'
        // No emulator keeps which branches may deploy.
        if (path.endsWith('/deployment-branch-policies')) return undefined
        const method = option('method')
        const answer = await gitHub(method || 'GET', path, method ? {} : undefined)
        return args.includes('--silent') ? undefined : answer[option('jq').slice(1)]
      },
      async 'secret set'() {
        const { key, key_id } = await gitHub('GET', `${place}/secrets/public-key`)
        const box = sodium.crypto_box_seal(stdin.trim(), new Uint8Array(Buffer.from(String(key), 'base64')))
        const encrypted_value = Buffer.from(box).toString('base64')
        await gitHub('PUT', `${place}/secrets/${name}`, { key_id, encrypted_value })
        return `✓ Set Actions secret ${name} for ${option('repo')}`
      },
      async 'variable set'() {
        const body = { name, value: option('body') }
        const { status } = await ask('POST', `${github.baseUrl}${place}/variables`, github.token, body)
        if (status === 409) await gitHub('PATCH', `${place}/variables/${name}`, body)
        else if (status !== 201) throw new Error(`GitHub answered ${status}.`)
        return `✓ Created variable ${name} for ${option('repo')}`
      },
      'variable delete': async () => void (await gitHub('DELETE', `${place}/variables/${name}`)),
      'workflow enable': async () => void (await gitHub('PUT', `${own}/actions/workflows/${name}/enable`)),
    })
  }
}
