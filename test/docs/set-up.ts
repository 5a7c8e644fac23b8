import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import sodium from 'libsodium-wrappers'
import type { Services } from '../support/engine/services.ts'
import { askOrThrow, graphToken } from '../support/services.ts'
import type { Effect } from './terminal.ts'

const readWriteOwnedBy = '18a4783c-866b-4cc7-a460-3d5e5662c884'
const readAll = '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30'
/** Object id of the service principal of Microsoft Graph in the tenant. */
const graphPrincipal = '99999999-2222-3333-4444-555555555555'

type Effects = Readonly<Record<string, Effect>>

/** Joins the effects for each name. */
const each = (names: readonly string[], effectsFor: (name: string) => Effects): Effects =>
  Object.assign({}, ...names.map(effectsFor))

/**
 * Returns what each `az` and `gh` command of docs/deploy.md does, by its text. A changed command has no effect.
 * @param name gives a value a name, which replaces it in the text of later commands
 */
export function effectsOf(services: Services, name: (value: string, name: string) => void): Effects {
  const { cloudflare, entra, github } = services.sandbox.description
  const repository = `${github.owner}/${github.repository}`
  const gitHub = (method: string, path: string, body?: object) =>
    askOrThrow(method, `${github.baseUrl}repos/${repository}${path}`, github.token, body)

  const branchFields =
    '-F deployment_branch_policy[protected_branches]=false -F deployment_branch_policy[custom_branch_policies]=true'
  /** Sends a request to GitHub. The command prints nothing. */
  const silent = (method: string, path: string, body?: object) => async () => {
    await gitHub(method, path, body)
    return ''
  }
  const setVariable = async (name: string, value: string, place = '/actions') => {
    await gitHub('POST', `${place}/variables`, { name, value })
    return `✓ Created variable ${name} for ${repository}\n`
  }
  /** @param given the value in the command @param one the environment that has it, if not the repository */
  const variableSet = (name: string, value: string, given = value, one = ''): Effects => ({
    [`gh variable set ${name} ${one && `--env ${one} `}--repo $GITHUB_REPOSITORY --body ${given}`]: () =>
      setVariable(name, value, one ? `/environments/${one}` : undefined),
  })
  /** Returns the effects of the commands that set these secrets of an environment. */
  const secrets = (place: string, names: readonly string[]) =>
    each(names, name => ({
      [`gh secret set ${name} --env ${place} --repo $GITHUB_REPOSITORY`]: async ({ stdin }) => {
        const { key, key_id } = await gitHub('GET', `/environments/${place}/secrets/public-key`)
        const box = sodium.crypto_box_seal(stdin.trim(), new Uint8Array(Buffer.from(String(key), 'base64')))
        const encrypted_value = Buffer.from(box).toString('base64')
        await gitHub('PUT', `/environments/${place}/secrets/${name}`, { key_id, encrypted_value })
        return `✓ Set Actions secret ${name} for ${repository}\n`
      },
    }))
  /** Returns the effects of the commands that create an application for CI with one permission and one environment. */
  function application(
    displayName: string,
    variable: string,
    principalName: string,
    role: string,
    environment: string,
  ): Effects {
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
    String((await gitHub('GET', '/actions/oidc/customization/sub'))['sub_claim_prefix'])
  const role = (assignee: string, type: string, access = 'Contributor') =>
    `az role assignment create --role Storage Blob Data ${access} --assignee-object-id ${assignee} --assignee-principal-type ${type} --scope $STORAGE/blobServices/default/containers/state --query principalType --output tsv`

  return {
    'az login': () => '',
    'gh auth login --scopes repo,workflow': () => '',
    'az version': () => '{"azure-cli": "2.80.0"}\n',
    'gh --version': () => 'gh version 2.83.1 (2025-11-13)\n',
    'gh auth token': () => `${github.token}\n`,
    'gh repo create $GITHUB_REPOSITORY --private --source . --remote origin --push': ({ folder: clone }) => {
      const bare = join(services.folder, 'origin.git')
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
      `${await graphToken(entra)}\n`,

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
    ...each(['infra', 'infra-drift', 'dns'], one => {
      const reviewers = one === 'infra' ? '-F reviewers[][type]=User -F reviewers[][id]=7 ' : ''
      const place = `repos/$GITHUB_REPOSITORY/environments/${one}`
      return {
        [`gh api --silent --method PUT ${place} ${reviewers}${branchFields}`]: silent(
          'PUT',
          `/environments/${one}`,
          {},
        ),
        [`gh api --silent --method POST ${place}/deployment-branch-policies -f name=main`]: () => '',
      }
    }),
    ...secrets('infra', [
      'CLOUDFLARE_DEPLOY_TOKEN',
      'CLOUDFLARE_READING_TOKEN',
      'PULUMI_CONFIG_PASSPHRASE',
      'HOMEPORT_GITHUB_TOKEN',
    ]),
    ...secrets('infra-drift', ['CLOUDFLARE_DEPLOY_TOKEN', 'HOMEPORT_GITHUB_TOKEN']),
    ...secrets('dns', ['CLOUDFLARE_DNS_TOKEN']),
    ...variableSet('PULUMI_BACKEND_URL', 'azblob://state'),
    ...variableSet('AZURE_STORAGE_ACCOUNT', storageAccount, '$AZURE_STORAGE_ACCOUNT'),
    ...variableSet('ARM_TENANT_ID', entra.tenantId, '$ARM_TENANT_ID'),
    ...variableSet('HOMEPORT_RECONCILE', 'true'),
    ...variableSet('HOMEPORT_ZONE_ID', cloudflare.zoneId, '$CLOUDFLARE_ZONE_ID', 'dns'),
    ...variableSet('HOMEPORT_HOSTNAME', 'home.example.com', 'home.example.com', 'dns'),
    ...variableSet('PULUMI_STACK', 'prod'),
    ...each(['HOMEPORT_ZONE_ID', 'HOMEPORT_HOSTNAME'], one => ({
      [`gh variable delete ${one} --env dns --repo $GITHUB_REPOSITORY`]: silent(
        'DELETE',
        `/environments/dns/variables/${one}`,
      ),
    })),
    'gh workflow enable infra-drift.yml --repo $GITHUB_REPOSITORY': silent(
      'PUT',
      '/actions/workflows/infra-drift.yml/enable',
    ),
    'gh variable delete PULUMI_STACK --repo $GITHUB_REPOSITORY': silent(
      'DELETE',
      '/actions/variables/PULUMI_STACK',
    ),
  }
}

export const storageAccount = 'homeportstate1'
