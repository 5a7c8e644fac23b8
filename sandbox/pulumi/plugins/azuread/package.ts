import { text } from '../../properties.ts'
import type { Package } from '../resource.ts'
import { RestError, unlessGone } from '../rest.ts'
import { application } from './application.ts'
import { applicationCertificate } from './certificate.ts'
import { type AzureAd, azureAdClient } from './client.ts'
import { applicationPassword } from './password.ts'
import { servicePrincipal } from './service-principal.ts'

/** The part of `azuread` that the program uses. */
export const azuread: Package<AzureAd> = {
  name: 'azuread',
  connect: (config, environment) => {
    const oidc = (text(config['useOidc']) || environment['ARM_USE_OIDC']) === 'true'
    const oidcToken = text(config['oidcToken']) || environment['ARM_OIDC_TOKEN']
    return azureAdClient({
      metadataHost: text(config['metadataHost']) || environment['ARM_METADATA_HOSTNAME'],
      tenantId: text(config['tenantId']) || (environment['ARM_TENANT_ID'] ?? ''),
      clientId: text(config['clientId']) || (environment['ARM_CLIENT_ID'] ?? ''),
      clientSecret: text(config['clientSecret']) || (environment['ARM_CLIENT_SECRET'] ?? ''),
      oidcToken: oidc ? oidcToken : undefined,
      certificates: environment['SSL_CERT_FILE'],
    })
  },
  resources: {
    'azuread:index/application:Application': application,
    'azuread:index/applicationCertificate:ApplicationCertificate': applicationCertificate,
    'azuread:index/applicationPassword:ApplicationPassword': applicationPassword,
    'azuread:index/servicePrincipal:ServicePrincipal': servicePrincipal,
  },
  lookups: {
    // application_data_source.go, 3.8.0.
    'azuread:index/getApplication:getApplication': async (client, { objectId }) => {
      const path = `/v1.0/applications/${text(objectId)}`
      const found = await unlessGone(client.call({ method: 'GET', path }))
      if (found === null)
        throw new RestError(`Application with object ID "${text(objectId)}" was not found`, 404)
      return { id: text(objectId), objectId: text(objectId), clientId: text(found['appId']) }
    },
    'azuread:index/getClientConfig:getClientConfig': async client => {
      const { tenantId, clientId, objectId } = await client.whoAmI()
      return { id: `${tenantId}-${clientId}-${objectId}`, tenantId, clientId, objectId }
    },
  },
}
