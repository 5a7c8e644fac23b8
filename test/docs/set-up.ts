import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import sodium from 'libsodium-wrappers'
import type { FullDescription } from '../../sandbox/sandbox.ts'
import { ask, graphToken } from '../support/services.ts'
import type { Effect } from './terminal.ts'

const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
/** Object id of the service principal of Microsoft Graph in the tenant. */
const graphPrincipal = '99999999-2222-3333-4444-555555555555'

/** What the effects of the page's commands need. */
export interface SetUp {
  readonly description: FullDescription
  /** The folder where repositories are created. */
  readonly folder: string
  /** Names a value, as the table of effects does. */
  name(value: string, name: string): void
}

type Json = Readonly<Record<string, unknown>>

/** Returns the interfaces that `az` and `gh` call. */
function servicesOf({ entra, github }: FullDescription) {
  let token: Promise<string> | undefined
  /** The token of the person who is signed in to Azure. */
  const signedIn = () => {
    token ??= graphToken(entra)
    return token
  }
  const gitHubUrl = `${github.baseUrl}repos/${github.owner}/${github.repository}`
  return {
    graphToken: signedIn,
    graph: async (method: string, path: string, body?: object): Promise<Json> =>
      request(method, `${entra.graphUrl}/v1.0${path}`, await signedIn(), body),
    gitHub: (method: string, path: string, body?: object): Promise<Json> =>
      request(method, gitHubUrl + path, github.token, body),
  }
}

async function request(method: string, url: string, token: string, body?: object): Promise<Json> {
  const answer = await ask(method, url, token, body)
  if (answer.status >= 300)
    throw new Error(`${method} ${url}: HTTP ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Returns what each `az` and `gh` command of docs/deploy.md does, by its text. A changed command has no effect. */
export function effectsOf({ description, folder, name }: SetUp): Readonly<Record<string, Effect>> {
  const services = servicesOf(description)
  const { entra, github } = description
  const repository = `${github.owner}/${github.repository}`

  const branchFields =
    '-F deployment_branch_policy[protected_branches]=false -F deployment_branch_policy[custom_branch_policies]=true'
  const environment = (one: string) => async () => {
    await services.gitHub('PUT', `/environments/${one}`, {})
    return ''
  }
  const setVariable = async (name: string, value: string, place = '/actions') => {
    await services.gitHub('POST', `${place}/variables`, { name, value })
    return `✓ Created variable ${name} for ${repository}\n`
  }
  /** @param given the value in the command @param one the environment that has it, if not the repository */
  const variableSet = (name: string, value: string, given = value, one = ''): Record<string, Effect> => ({
    [`gh variable set ${name} ${one && `--env ${one} `}--repo $GITHUB_REPOSITORY --body ${given}`]: () =>
      setVariable(name, value, one ? `/environments/${one}` : undefined),
  })
  const secret =
    (name: string, place: string): Effect =>
    async ({ stdin }) => {
      const { key, key_id } = await services.gitHub('GET', `/environments/${place}/secrets/public-key`)
      const box = sodium.crypto_box_seal(stdin.trim(), new Uint8Array(Buffer.from(String(key), 'base64')))
      const encrypted_value = Buffer.from(box).toString('base64')
      await services.gitHub('PUT', `/environments/${place}/secrets/${name}`, { key_id, encrypted_value })
      return `✓ Set Actions secret ${name} for ${repository}\n`
    }
  const deletion = (path: string) => async () => {
    await services.gitHub('DELETE', path)
    return ''
  }
  /** Returns the effects of the commands that create an application for CI with one permission and one environment. */
  function application(
    displayName: string,
    variable: string,
    principalName: string,
    role: string,
    environment: string,
  ): Record<string, Effect> {
    let id = ''
    let principalId = ''
    return {
      [`az ad app create --display-name ${displayName} --sign-in-audience AzureADMyOrg --query appId --output tsv`]:
        async () => {
          const made = await services.graph('POST', '/applications', {
            displayName,
            signInAudience: 'AzureADMyOrg',
          })
          id = String(made['id'])
          name(String(made['appId']), variable)
          return `${made['appId']}\n`
        },
      [`az ad sp create --id $${variable} --query displayName --output tsv`]: async () => {
        const { appId } = await services.graph('GET', `/applications/${id}`)
        const made = await services.graph('POST', '/servicePrincipals', { appId })
        principalId = String(made['id'])
        name(principalId, principalName)
        return `${made['displayName']}\n`
      },
      [`az ad app permission add --id $${variable} --api 00000003-0000-0000-c000-000000000000 --api-permissions ${role}=Role`]:
        async () => {
          const resourceAccess = [{ id: role, type: 'Role' }]
          const requiredResourceAccess = [
            { resourceAppId: '00000003-0000-0000-c000-000000000000', resourceAccess },
          ]
          await services.graph('PATCH', `/applications/${id}`, { requiredResourceAccess })
          return ''
        },
      [`az ad app permission admin-consent --id $${variable}`]: async () => {
        await services.graph('POST', `/servicePrincipals/${principalId}/appRoleAssignments`, {
          principalId,
          appRoleId: role,
          resourceId: graphPrincipal,
        })
        return ''
      },
      [`az ad app federated-credential create --id $${variable} --query subject --output tsv --parameters {"name": "${environment}", "issuer": "https://token.actions.githubusercontent.com", "subject": "$SUBJECT:environment:${environment}", "audiences": ["api://AzureADTokenExchange"]}`]:
        async ({ text }) => {
          const sent = JSON.parse(text.slice(text.indexOf('{')).replace('$SUBJECT', await subject()))
          const made = await services.graph('POST', `/applications/${id}/federatedIdentityCredentials`, sent)
          return `${made['subject']}\n`
        },
      [`az ad sp show --id $${variable} --query id --output tsv`]: () => `${principalId}\n`,
      [`gh variable set ${variable} --repo $GITHUB_REPOSITORY --body $${variable}`]: async () => {
        const { appId } = await services.graph('GET', `/applications/${id}`)
        return setVariable(variable, String(appId))
      },
    }
  }
  const subject = async () =>
    String((await services.gitHub('GET', '/actions/oidc/customization/sub'))['sub_claim_prefix'])
  const role = (assignee: string, type: string, access = 'Contributor') =>
    `az role assignment create --role Storage Blob Data ${access} --assignee-object-id ${assignee} --assignee-principal-type ${type} --scope $STORAGE/blobServices/default/containers/state --query principalType --output tsv`

  return {
    'az login': () => '',
    'gh auth login --scopes repo,workflow': () => '',
    'az version': () => '{"azure-cli": "2.80.0"}\n',
    'gh --version': () => 'gh version 2.83.1 (2025-11-13)\n',
    'gh auth token': () => `${github.token}\n`,
    'gh repo create $GITHUB_REPOSITORY --private --source . --remote origin --push': ({ folder: clone }) => {
      const bare = join(folder, 'origin.git')
      execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
      execFileSync('git', ['remote', 'add', 'origin', bare], { cwd: clone })
      execFileSync('git', ['push', '--quiet', '--set-upstream', 'origin', 'HEAD:main'], { cwd: clone })
      return `✓ Created repository ${repository} on github.com\n`
    },

    'az account show --query tenantId --output tsv': () => `${entra.tenantId}\n`,
    ...application('homeport-ci', 'ARM_CLIENT_ID', 'CI', readWriteOwnedBy, 'infra'),
    ...application('homeport-ci-drift', 'ARM_DRIFT_CLIENT_ID', 'CI_DRIFT', readAll, 'infra-drift'),
    'gh api repos/$GITHUB_REPOSITORY/actions/oidc/customization/sub --jq .sub_claim_prefix': async () => {
      const prefix = await subject()
      name(prefix, 'SUBJECT')
      return `${prefix}\n`
    },
    'az account get-access-token --resource-type ms-graph --query accessToken --output tsv': async () =>
      `${await services.graphToken()}\n`,

    // The storage account has no emulator, so these only print what the page says.
    'az group create --name homeport --location westeurope --query properties.provisioningState --output tsv':
      () => 'Succeeded\n',
    'az storage account create --name $AZURE_STORAGE_ACCOUNT --resource-group homeport --sku Standard_LRS --min-tls-version TLS1_2 --allow-blob-public-access false --allow-shared-key-access false --query provisioningState --output tsv':
      () => 'Succeeded\n',
    'az storage account blob-service-properties update --account-name $AZURE_STORAGE_ACCOUNT --resource-group homeport --enable-versioning true --enable-delete-retention true --delete-retention-days 30 --query isVersioningEnabled --output tsv':
      () => 'true\n',
    'az storage container-rm create --name state --storage-account $AZURE_STORAGE_ACCOUNT --resource-group homeport --query name --output tsv':
      () => 'state\n',
    'az ad signed-in-user show --query id --output tsv': () => {
      name(entra.deployer.objectId, 'ME')
      return `${entra.deployer.objectId}\n`
    },
    'az storage account show --name $AZURE_STORAGE_ACCOUNT --query id --output tsv': () => {
      const id = '/subscriptions/1/resourceGroups/homeport/providers/Microsoft.Storage/storageAccounts/one'
      name(id, 'STORAGE')
      return `${id}\n`
    },
    [role('$ME', 'User')]: () => 'User\n',
    [role('$CI', 'ServicePrincipal')]: () => 'ServicePrincipal\n',
    [role('$CI_DRIFT', 'ServicePrincipal', 'Reader')]: () => 'ServicePrincipal\n',

    'gh api user --jq .id': () => '7\n',
    [`gh api --silent --method PUT repos/$GITHUB_REPOSITORY/environments/infra -F reviewers[][type]=User -F reviewers[][id]=7 ${branchFields}`]:
      environment('infra'),
    [`gh api --silent --method PUT repos/$GITHUB_REPOSITORY/environments/infra-drift ${branchFields}`]:
      environment('infra-drift'),
    [`gh api --silent --method PUT repos/$GITHUB_REPOSITORY/environments/dns ${branchFields}`]:
      environment('dns'),
    ...Object.fromEntries(
      ['infra', 'infra-drift', 'dns'].map(one => [
        `gh api --silent --method POST repos/$GITHUB_REPOSITORY/environments/${one}/deployment-branch-policies -f name=main`,
        () => '',
      ]),
    ),
    ...Object.fromEntries(
      [
        ['CLOUDFLARE_DEPLOY_TOKEN', 'infra'],
        ['CLOUDFLARE_DEPLOY_TOKEN', 'infra-drift'],
        ['CLOUDFLARE_READING_TOKEN', 'infra'],
        ['PULUMI_CONFIG_PASSPHRASE', 'infra'],
        ['CLOUDFLARE_DNS_TOKEN', 'dns'],
        ['HOMEPORT_GITHUB_TOKEN', 'infra'],
        ['HOMEPORT_GITHUB_TOKEN', 'infra-drift'],
      ].map(([one = '', place = '']) => [
        `gh secret set ${one} --env ${place} --repo $GITHUB_REPOSITORY`,
        secret(one, place),
      ]),
    ),
    ...variableSet('PULUMI_BACKEND_URL', 'azblob://state'),
    ...variableSet('AZURE_STORAGE_ACCOUNT', storageAccount, '$AZURE_STORAGE_ACCOUNT'),
    ...variableSet('ARM_TENANT_ID', entra.tenantId, '$ARM_TENANT_ID'),
    ...variableSet('HOMEPORT_RECONCILE', 'true'),
    ...variableSet('HOMEPORT_ZONE_ID', description.cloudflare.zoneId, '$CLOUDFLARE_ZONE_ID', 'dns'),
    ...variableSet('HOMEPORT_HOSTNAME', 'home.example.com', 'home.example.com', 'dns'),
    ...variableSet('PULUMI_STACK', 'prod'),
    ...Object.fromEntries(
      ['HOMEPORT_ZONE_ID', 'HOMEPORT_HOSTNAME'].map(one => [
        `gh variable delete ${one} --env dns --repo $GITHUB_REPOSITORY`,
        deletion(`/environments/dns/variables/${one}`),
      ]),
    ),
    'gh workflow enable infra-drift.yml --repo $GITHUB_REPOSITORY': async () => {
      await services.gitHub('PUT', '/actions/workflows/infra-drift.yml/enable')
      return ''
    },
    'gh variable delete PULUMI_STACK --repo $GITHUB_REPOSITORY': deletion('/actions/variables/PULUMI_STACK'),
  }
}

export const storageAccount = 'homeportstate1'
