import type { StackSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import { clientSecretName, pushNames, tokenTypes, types } from '../../stack-facts.ts'
import { findIn, ofType, type StackState } from '../../stack-state.ts'
import { differs, type Finding } from '../finding.ts'

/** Names what the configuration declares and the state lacks: no run created it, or a run failed before it did. */
export function missingDifferences(settings: StackSettings, state: StackState): readonly Finding[] {
  const { record, signIn, push, clock } = settings
  const records = ofType(state, types.record).filter(({ toDelete }) => !toDelete)
  const secrets = ofType(state, types.password).filter(({ toDelete }) => !toDelete)
  const wanted: readonly (readonly [name: string, isThere: unknown])[] = [
    ...(record?.plans ?? []).map(
      ({ name, type }) =>
        [
          `the record ${shown(name)} (${type})`,
          records.some(({ inputs }) => inputs['name'] === name && inputs['type'] === type),
        ] as const,
    ),
    ...(record ? [['the DNS token', findIn(state, tokenTypes)] as const] : []),
    ...(record?.handOver ? [['the secret at GitHub', findIn(state, types.environmentSecret)] as const] : []),
    ...(signIn
      ? ([
          ['the registration', findIn(state, types.application)],
          ['its service principal', findIn(state, types.principal)],
          ...(['a', 'b'] as const).map(
            slot =>
              [
                `client secret ${slot}`,
                secrets.some(({ name }) => name.startsWith(clientSecretName(slot))),
              ] as const,
          ),
        ] as const)
      : []),
    ...(signIn?.worker
      ? ([
          ['the database', findIn(state, types.database)],
          ['the Worker', findIn(state, types.script)],
          ['its custom domain', findIn(state, types.domain)],
        ] as const)
      : []),
    ...(push || clock
      ? [['the Worker of the endpoint', findIn(state, types.script, pushNames.script)] as const]
      : []),
    ...(push
      ? [["the endpoint's custom domain", findIn(state, types.domain, pushNames.domain)] as const]
      : []),
    ...(push ? [["the endpoint's token", findIn(state, tokenTypes, pushNames.token)] as const] : []),
  ]
  const missing = wanted.filter(([, isThere]) => !isThere).map(([name]) => name)
  if (missing.length === 0) return []
  return [
    differs(
      `The configuration declares what the state lacks: ${missing.join(', ')}.`,
      'Run pulumi up, which creates it.',
    ),
  ]
}
