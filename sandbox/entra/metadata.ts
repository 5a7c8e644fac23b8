import { type Answer, jsonAnswer } from './answer.ts'

export const metadataPath = '/metadata/endpoints'

/** Where clients find everything else, as `azuread:metadataHost` asks for it: always over https. */
export const metadataAnswer = ({ instance, graphUrl }: { instance: string; graphUrl: string }): Answer => {
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
