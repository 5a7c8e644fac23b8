import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'

export const metadataPath = '/metadata/endpoints'

/** Returns the addresses of the services, which the azuread provider reads over HTTPS from `azuread:metadataHost`. */
export function metadataAnswer({ instance, graphUrl }: { instance: string; graphUrl: string }): HttpAnswer {
  const login = instance.replace(/\/$/, '')
  return jsonAnswer(200, {
    name: 'Homeport sandbox',
    authentication: {
      loginEndpoint: login,
      audiences: [graphUrl],
      tenant: 'common',
      identityProvider: 'AAD',
    },
    resourceManager: `${login}/arm`,
    microsoftGraphResourceId: `${graphUrl}/`,
  })
}
