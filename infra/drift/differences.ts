import { type Binding, handlerBindings, requestLimit } from '../handler-settings.ts'
import { recordArguments } from '../record.ts'
import type { Settings } from '../settings.ts'
import { shown } from '../shown.ts'
import type { Difference } from './difference.ts'
import { expiringCredentials } from './expiry.ts'
import type { Found, FoundBinding, FoundRecord, FoundToken, ReadResult } from './service.ts'
import type { StackView } from './stack.ts'

export interface DriftInput {
  readonly stack: StackView
  /** What the service has; null if the configuration does not say where to look. */
  readonly found: Found | null
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether the preview planned nothing, so that the stack's outputs are those of the state. */
  readonly clean: boolean
}

/** Returns what a preview does not see, in the order of the command's help. */
export function differencesOf({ stack, found, now, clean }: DriftInput): readonly Difference[] {
  const { settings, problems, outputs, serviceName } = stack
  const wrong = problems.map(problem => ({
    level: 'error' as const,
    text: `The configuration is wrong, so nothing else was compared: homeport:${problem}`,
    cure: 'Then run npm run drift again.',
  }))
  if (settings === null || found === null) return wrong
  return [
    ...wrong,
    ...ifRead(found.bindings, bindings =>
      compareBindings(serviceName, bindings, declaredBindings(stack, settings)),
    ),
    ...ifRead(found.tokens, tokens =>
      unknownTokens(tokens, { serviceName, known: outputs.dnsTokenId, clean, settings }),
    ),
    ...ifRead(found.records, records => unknownRecords(records, { known: outputs.recordId, settings })),
    ...expiringCredentials(settings, now).map(({ name, endsOn, days, cure }) => ({
      level: 'warning' as const,
      text: `${name} expires on ${endsOn.slice(0, 10)}, in ${days === 1 ? 'one day' : `${days} days`}.`,
      cure,
    })),
  ]
}

/** Compares what was found, or reports that it could not be read, so that a blind run is never green. */
function ifRead<T>(
  result: ReadResult<T>,
  compare: (value: T) => readonly Difference[],
): readonly Difference[] {
  return 'value' in result
    ? compare(result.value)
    : [{ level: 'error', text: `Could not read ${result.subject}: ${result.problem}`, cure: result.cure }]
}

/** A declared binding. Its value is null if it is secret, or not yet an output of the stack. */
type Wanted = Binding<string | null>

function declaredBindings({ outputs }: StackView, settings: Settings): readonly Wanted[] {
  const { tenantId, clientId, databaseId } = outputs
  return handlerBindings<string | null>(settings, {
    tenantId,
    clientId,
    databaseId,
    clientSecrets: null,
    sessionKeys: null,
  })
}

function compareBindings(
  service: string,
  found: readonly FoundBinding[] | null,
  wanted: readonly Wanted[],
): readonly Difference[] {
  if (found === null) {
    return [
      { level: 'error', text: `There is no Worker ${service}.`, cure: 'Run pulumi up, which uploads it.' },
    ]
  }
  function differs(text: string, cure: string): Difference {
    return { level: 'error', text: `The Worker ${service} ${text}`, cure }
  }
  const place = `in the dashboard, under Workers & Pages, ${service}, Settings, Variables and secrets. Every pulumi up that changes the Worker sets all of them`
  const missingOrChanged = wanted.flatMap(one => {
    const there = found.find(({ name }) => name === one.name)
    const cure = `Set it ${place}.`
    if (there === undefined) return [differs(`has no binding ${one.name} (${one.type}).`, cure)]
    if (there.type !== one.type) {
      const replaced = one.type === 'secret_text' ? ` Then replace the secret: it could be read.` : ''
      return [
        differs(`binds ${one.name} as ${shown(there.type)} instead of ${one.type}.`, `${cure}${replaced}`),
      ]
    }
    const declared = comparableOf(one)
    // The service never returns secrets, and some values are unknown before the first deployment.
    if (declared === null || declared === there.value) return []
    return [differs(`has ${one.name} = ${shown(there.value)} instead of ${shown(declared)}.`, cure)]
  })
  const names: readonly string[] = wanted.map(({ name }) => name)
  const more = found
    .filter(({ name }) => !names.includes(name))
    // Its value is not printed, because nobody declared it public.
    .map(({ name, type }) =>
      differs(`has a binding ${shown(name)} (${shown(type)}), which is not declared.`, `Remove it ${place}.`),
    )
  return [...missingOrChanged, ...more]
}

/** Returns the value to compare; null if it is secret or unknown. */
function comparableOf(binding: Wanted): string | null {
  switch (binding.type) {
    case 'plain_text':
      return binding.text
    case 'secret_text':
      return null
    case 'd1':
      return binding.databaseId
    case 'ratelimit':
      return requestLimit(binding.simple)
  }
}

function unknownTokens(
  found: readonly FoundToken[],
  {
    serviceName,
    known,
    clean,
    settings,
  }: { serviceName: string; known: string | null; clean: boolean; settings: Settings },
): readonly Difference[] {
  const where =
    settings.token.owner === 'account'
      ? 'Manage account, Account API tokens'
      : 'the profile of the person who owns mintingApiToken, API Tokens'
  return found
    .filter(({ name, id, status }) => name === serviceName && id !== known && status !== 'expired')
    .map(({ id, issuedOn }) => {
      const remove = `Delete it under ${where}, or as docs/infrastructure.md says.`
      return {
        level: 'error',
        text: `There is a token ${shown(id)} with the name ${serviceName}, created ${shown(issuedOn)}, which the state does not know. It can change the zone.`,
        // After a failed run the outputs are those of the run before: this may be the token that the state has now.
        cure: clean ? remove : `Run pulumi up first. If npm run drift still reports the token: ${remove}`,
      }
    })
}

function unknownRecords(
  found: readonly FoundRecord[],
  { known, settings }: { known: string | null; settings: Settings },
): readonly Difference[] {
  const { name, type } = recordArguments(settings)
  const present = found.filter(one => one.type === type && one.name.toLowerCase() === name)
  const isKnown = present.some(({ id }) => id === known)
  return present
    .filter(({ id }) => id !== known)
    .map(({ id }) => ({
      level: 'error',
      text: isKnown
        ? `There is a record ${shown(id)} (${name}, ${type}) besides the stack's own.`
        : `There is a record ${shown(id)} (${name}, ${type}), which the state does not know.`,
      cure: isKnown
        ? 'Delete it in the dashboard, under DNS: the action refuses to choose between two.'
        : `Adopt it: pulumi config set --plaintext importRecordId ${/^[0-9a-f]{32}$/.test(id) ? id : '…'}, then pulumi up, then pulumi config rm importRecordId.`,
    }))
}
