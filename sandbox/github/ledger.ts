import { assumed, documented, type Entry } from '../http/ledger.ts'

const secretsReference = 'GitHub REST, Actions secrets and deployment environments'
const variablesReference = 'GitHub REST, Actions variables'

/** The behaviours of GitHub's API. */
export const ledger = {
  'github.path': documented(
    'The API is at the root, and below /api/v3 as on GitHub Enterprise Server.',
    'GitHub Enterprise Server, REST quick start',
  ),
  'github.credential': documented(
    'A missing token gets 401 Requires authentication, a wrong one 401 Bad credentials.',
    'GitHub REST, authenticating',
  ),
  'github.environment': documented('PUT creates or updates an environment: 200.', secretsReference),
  'github.environment.missing': documented(
    'Secrets and variables of a missing environment get 404.',
    secretsReference,
  ),
  'github.public-key': documented(
    'A repository and each environment have a public key with an id.',
    secretsReference,
  ),
  'github.secret.put': documented('A new secret gets 201, a changed one 204.', secretsReference),
  'github.secret.sealed': documented(
    'A secret is a libsodium sealed box with the id of its public key.',
    secretsReference,
  ),
  'github.secret.unsealed': assumed(
    'A box that cannot be decrypted gets 422. The real service may notice only when a job uses the secret.',
    'stricter on purpose',
  ),
  'github.secret.name': documented(
    'A name has letters, digits and underscores, does not start with a digit or GITHUB_, and ignores case.',
    secretsReference,
  ),
  'github.secret.get': documented('A secret is returned without its value.', secretsReference),
  'github.variable.create': documented(
    'A new variable gets 201; an existing name gets 409.',
    variablesReference,
  ),
  'github.variable.change': documented('PATCH changes a variable: 204.', variablesReference),
} as const satisfies Readonly<Record<string, Entry>>
