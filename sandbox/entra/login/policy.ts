import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { profileScope, type Tenant } from '../tenant.ts'
import type { EntraUser, SignInOutcome } from '../users.ts'
import { EntraError, type Problem, problems } from './aadsts.ts'

const refusals: Readonly<Record<Exclude<SignInOutcome, 'ok'>, Problem>> = {
  'consent-required': problems.consentRequired,
  'consent-declined': problems.consentDeclined,
  'admin-consent-required': problems.adminConsentRequired,
  'not-assigned': problems.notAssigned,
  'conditional-access': problems.conditionalAccess,
  'mfa-required': problems.mfaRequired,
  // documented: Since 2026, a policy for all resources also applies to an application that asks for User.Read alone, so that a
  // silent request gets interaction_required more often. [Microsoft 365 message center MC1223829]
  'interaction-required': problems.mfaRequired,
  disabled: problems.userDisabled,
}

/** Returns the user with an object ID, which the OAuth library calls the account id. @throws EntraError if the user is unknown or disabled */
export function presentUser(tenant: Tenant, id: string): EntraUser {
  const user = tenant.users.byId(id)
  if (user === null) throw new EntraError(problems.userUnknown, true)
  if (user.outcome === 'disabled') throw new EntraError(problems.userDisabled, true)
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

function checkOutcome(tenant: Tenant, { oidc }: KoaContextWithOIDC): false {
  const account = oidc.session?.accountId
  const outcome = account === undefined ? 'ok' : (presentUser(tenant, account).outcome ?? 'ok')
  if (outcome === 'interaction-required' && oidc.params?.['prompt'] !== 'none') return false
  if (outcome !== 'ok') throw new EntraError(refusals[outcome])
  return false
}

/** Returns the checks before a code is issued: the scopes, then the account, then its outcome. */
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
    new Prompt({ name: 'outcome' }, new Check('user', '', 'access_denied', c => checkOutcome(tenant, c))),
  )
  return policy
}
