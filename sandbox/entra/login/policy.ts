import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { profileScope, type Tenant } from '../tenant.ts'
import type { EntraUser } from '../users.ts'
import { EntraError, problems } from './aadsts.ts'

/** Returns the user with an object ID, which the OAuth library calls the account id. @throws EntraError if the user is unknown */
export function presentUser(tenant: Tenant, id: string): EntraUser {
  const user = tenant.users.byId(id)
  if (user === null) throw new EntraError(problems.userUnknown, true)
  return user
}

/** Refuses unknown scopes, which the library would ignore. */
function checkScopes({ query }: KoaContextWithOIDC): false {
  const { scope: requested } = query
  const scopes = typeof requested === 'string' ? requested.split(' ') : []
  if (!scopes.every(scope => scope === profileScope)) throw new EntraError(problems.unknownScope)
  return false
}

/** Whether `login_hint` names an account other than the one that is signed in. */
function hintedOther(tenant: Tenant, { oidc }: KoaContextWithOIDC): boolean {
  const hint = oidc.params?.['login_hint']
  const account = oidc.session?.accountId
  if (typeof hint !== 'string' || account === undefined || oidc.result?.login) return false
  const hinted = tenant.users.byPrincipalName(hint)
  return hinted !== null && hinted.id !== account
}

function checkPresent(tenant: Tenant, { oidc }: KoaContextWithOIDC): false {
  const account = oidc.session?.accountId
  if (account !== undefined) presentUser(tenant, account)
  return false
}

/** Returns the checks before a code is issued: the scopes, then the account, which can be gone by then. */
export function policyFor(tenant: Tenant): interactionPolicy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: 'request' }, new Check('scopes', '', 'invalid_scope', checkScopes)), 0)
  policy
    .get('login')
    ?.checks.add(
      new Check('hinted_other', 'another account is hinted', 'login_required', ctx =>
        hintedOther(tenant, ctx),
      ),
    )
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 2)
  policy.add(
    new Prompt({ name: 'present' }, new Check('user', '', 'access_denied', c => checkPresent(tenant, c))),
  )
  return policy
}
