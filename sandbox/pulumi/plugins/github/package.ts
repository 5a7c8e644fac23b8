import { text } from '../../properties.ts'
import type { Package } from '../resource.ts'
import { type GitHub, gitHubClient } from './client.ts'
import { actionsEnvironmentSecret } from './secret.ts'
import { actionsEnvironmentVariable } from './variable.ts'

/** The part of `github` that the program uses. */
export const github: Package<GitHub> = {
  name: 'github',
  connect: (config, environment) =>
    gitHubClient(
      text(config['baseUrl']) || environment['GITHUB_BASE_URL'],
      text(config['owner']) || (environment['GITHUB_OWNER'] ?? ''),
      text(config['token']) || (environment['GITHUB_TOKEN'] ?? ''),
    ),
  resources: {
    'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret': actionsEnvironmentSecret,
    'github:index/actionsEnvironmentVariable:ActionsEnvironmentVariable': actionsEnvironmentVariable,
  },
  lookups: {},
}
