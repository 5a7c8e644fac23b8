import { assumed, documented, type Entry } from '../http/ledger.ts'

const secretsReference = 'GitHub REST, Actions secrets and deployment environments'
const variablesReference = 'GitHub REST, Actions variables'

/** What the stand-in for GitHub's interface rests on. */
export const ledger = {
  'github.path': documented(
    'The interface is served at the root, and below /api/v3 as on a server of one’s own.',
    'GitHub Enterprise Server, REST quick start',
  ),
  'github.credential': documented(
    'No token is 401 Requires authentication, a wrong one 401 Bad credentials.',
    'GitHub REST, authenticating',
  ),
  'github.environment': documented('PUT makes an environment or changes it: 200.', secretsReference),
  'github.environment.missing': documented(
    'Secrets and variables of an environment that is not there are 404.',
    secretsReference,
  ),
  'github.public-key': documented('A place has a public key for its secrets, with an id.', secretsReference),
  'github.secret.put': documented('A new secret is 201, a changed one 204.', secretsReference),
  'github.secret.sealed': documented(
    'A secret comes in a sealed box of libsodium, with the id of the key it is sealed for.',
    secretsReference,
  ),
  'github.secret.unsealed': assumed(
    'A box that cannot be opened is 422. The service may find out only when a job wants the secret.',
    'stricter on purpose',
  ),
  'github.secret.name': documented(
    'A name has letters, digits and underscores, and does not begin with a digit or GITHUB_; case does not count.',
    secretsReference,
  ),
  'github.secret.get': documented('A secret is shown without its value.', secretsReference),
  'github.variable.create': documented(
    'A new variable is 201; one of that name before is 409.',
    variablesReference,
  ),
  'github.variable.change': documented('PATCH changes a variable: 204.', variablesReference),
} as const satisfies Readonly<Record<string, Entry>>
