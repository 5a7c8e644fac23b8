import { printable, quoteValue } from '../../lib/quote.ts'
import { findIn, ofType, type StackState } from '../exported-state.ts'
import { clientSecretName, clockNames, pushNames, tokenTypes, types } from '../resource-names.ts'
import { type Difference, differs, lacking, warns } from './difference.ts'
import type { Check } from './look.ts'
import { tokensFor, tokenTitle } from './rows.ts'

/** Reports what a run was doing when it was killed, or is doing now. */
export function pendingDifferences({ pending }: StackState): readonly Difference[] {
  if (pending.length === 0) return []
  const isCreating = pending.some(({ kind }) => kind === 'creating')
  const names = pending.map(({ kind, resource }) => `${printable(kind)} ${quoteValue(resource.name)}`)
  // The engine drops the others at the next run, and keeps creations until somebody clears them.
  const clear =
    'First do what the other lines say about what it left. Then run pulumi refresh --clear-pending-creates, and pulumi up.'
  return [
    differs(
      `A run is under way, or was killed while it was ${names.join(', ')}.`,
      `If no run is under way: pulumi cancel. ${isCreating ? clear : 'Then run pulumi up.'}`,
    ),
  ]
}

/** Names resources that the state lacks and the next run creates. Those that can block a run have checks of their own. */
export const missingChecks: Check = ({ settings: { record, signIn, push, clock }, state }) => {
  const has = (type: string | readonly string[], name?: string) => findIn(state, type, name) !== null
  const wanted: readonly (readonly [part: unknown, name: string, isThere: boolean])[] = [
    [record, 'the DNS token', has(tokenTypes)],
    [record?.handOver, 'the secret at GitHub', has(types.environmentSecret)],
    [signIn, 'the registration', has(types.application)],
    [signIn?.clientSecrets.length, 'client secret a', has(types.password, clientSecretName('a'))],
    [signIn?.clientSecrets.length, 'client secret b', has(types.password, clientSecretName('b'))],
    [signIn?.worker, 'the Worker', has(types.script)],
    [signIn?.worker, 'its custom domain', has(types.domain)],
    [push, 'the Worker of the endpoint', has(types.script, pushNames.script)],
    [clock, 'the Worker of the clock', has(types.script, clockNames.script)],
    [clock, 'the cron trigger of the clock', has(types.trigger, clockNames.trigger)],
    [push, "the endpoint's custom domain", has(types.domain, pushNames.domain)],
    [push, "the endpoint's token", has(tokenTypes, pushNames.token)],
  ]
  return lacking(...wanted.filter(([part, , isThere]) => part && !isThere).map(([, name]) => name))
}

/**
 * A refresh with the program does not read what is already replaced, and the provider fails to delete what is gone. The program cannot
 * find it out: the engine shows it no replaced resource, and the provider's data source of a registration has no client secrets.
 */
const alreadyDeleted =
  'If the deletion fails, it no longer exists: run pulumi up --run-program=false, which removes it from the state.'

/** Reports what a failed run did not finish: the new one is created first, and the old one deleted last. */
export const unfinishedChecks: Check = ({ state }) => {
  const pendingDeletion = ofType(state, ...tokenTypes, types.password).filter(({ toDelete }) => toDelete)
  // A rotated token has another name in the program.
  const rotated = [false, true].map(isPush => tokensFor(state, isPush)).filter(({ length }) => length > 1)
  return [
    ...pendingDeletion.map(({ id, name }) =>
      warns(
        `${quoteValue(name)} (${quoteValue(id)}) is replaced, but not yet deleted.`,
        `Run pulumi up, which deletes it. ${alreadyDeleted}`,
      ),
    ),
    ...rotated.map(tokens =>
      warns(
        `${tokenTitle(tokens[0]?.name ?? '')} was rotated, but the run did not finish: the state has ${tokens.map(({ id }) => quoteValue(id)).join(', ')}.`,
        'Run pulumi up, which uses the new one, and deletes the old one if it exists.',
      ),
    ),
  ]
}
