import { clientSecretName, clockNames, handedOver, pushNames, types } from '../stack-facts.ts'
import type { ResourceRule } from './rule.ts'

const exactly = (...names: readonly string[]): RegExp => new RegExp(`^(${names.join('|')})$`)
/** Components have any name in the program that uses them: `recordNameOf`. A rotation adds to the name of a token. */
const token = /-token(-[0-9a-f]{8})?$/

/** The logical names that each type can have. Whatever is not here could give somebody a power over the sign-in. */
const declared: Readonly<Record<string, RegExp>> = {
  [types.record]: /-record(-.+-a{1,4})?$/,
  [types.userToken]: token,
  [types.accountToken]: token,
  [types.database]: exactly('handler-database'),
  [types.script]: exactly('handler-worker', pushNames.script, clockNames.script),
  [types.domain]: exactly('handler-domain', pushNames.domain),
  [types.trigger]: exactly(clockNames.trigger, pushNames.trigger),
  [types.application]: exactly('sign-in-registration'),
  [types.principal]: exactly('sign-in-principal'),
  [types.password]: exactly(clientSecretName('a'), clientSecretName('b')),
  [types.environmentSecret]: exactly('repository-token'),
  [types.environmentVariable]: exactly(
    ...[handedOver.zoneId, handedOver.hostname, handedOver.recordType].map(
      name => `repository-${name.toLowerCase().replaceAll('_', '-')}`,
    ),
  ),
}

/**
 * What is nothing by itself: the stack, components, the providers of the types above, and the engine's note in place of a
 * resource that is gone (infra/resources/departed-resources.ts).
 */
const structure =
  /^(pulumi:pulumi:Stack|pulumi:index:Stash|homeport:infra:\w+|pulumi:providers:(cloudflare|azuread|github|pulumi))$/

export const onlyDeclared: ResourceRule = {
  name: 'only-declared',
  description: 'The stack has the resources of this program, by type and logical name, and no others.',
  types: null,
  check: ({ type, name }) =>
    structure.test(type) || declared[type]?.test(name)
      ? []
      : [
          `(${type}) is not one of the resources of this program. Remove it, or add it to infra/policy/declared-rules.ts.`,
        ],
}

/**
 * Returns the inputs that an allow-list lacks. False and empty values give no power, and providers add them as defaults; names
 * that begin with two underscores are the engine's own.
 */
export function otherInputs(
  props: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): readonly string[] {
  return Object.keys(props).filter(
    key => !allowed.includes(key) && !key.startsWith('__') && !isNothing(props, key),
  )
}

/** Reading a value that a preview does not know throws: there is one. */
function isNothing(props: Readonly<Record<string, unknown>>, key: string): boolean {
  try {
    const value = props[key]
    return value == null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
  } catch {
    return false
  }
}
