import { fieldOf, listOf, textOf } from '../../json.ts'
import { type Binding, handlerBindings, requestLimit } from '../../resources/worker-bindings.ts'
import type { SignInSettings } from '../../settings/stack-settings.ts'
import { shown } from '../../shown.ts'
import type { Known } from '../../stack-state.ts'
import { differs, type Finding } from '../finding.ts'

/** A binding of a Worker as the service returns it. */
interface FoundBinding {
  readonly name: string
  readonly type: string
  /** Text, database ID or request limit; null if the service does not return it, as for a secret. */
  readonly value: string | null
}

/** Reads the bindings in the settings of a Worker. */
export function readBindings(settings: unknown): readonly FoundBinding[] {
  return listOf(fieldOf(settings, 'bindings')).map(one => ({
    name: textOf(one, 'name') ?? '',
    type: textOf(one, 'type') ?? '',
    value: textOf(one, 'text') ?? textOf(one, 'database_id') ?? textOf(one, 'id') ?? limitOf(one),
  }))
}

/** Returns the limit of a rate-limit binding, formatted like a declared one. */
function limitOf(binding: unknown): string | null {
  const simple = fieldOf(binding, 'simple')
  const [limit, period] = [fieldOf(simple, 'limit'), fieldOf(simple, 'period')]
  return typeof limit === 'number' && typeof period === 'number' ? requestLimit({ limit, period }) : null
}

/** A declared binding. Its value is null if it is secret, or if the state does not have it yet. */
export type WantedBinding = Binding<string | null>

export function declaredBindings(
  { tenantId, clientId, databaseId }: Known,
  settings: SignInSettings,
): readonly WantedBinding[] {
  return handlerBindings<string | null>(settings, {
    tenantId,
    clientId,
    databaseId,
    clientSecrets: null,
    sessionKeys: null,
  })
}

/** Compares plain values whole, and secret ones by their presence. */
export function compareBindings(
  service: string,
  found: readonly FoundBinding[],
  wanted: readonly WantedBinding[],
): readonly Finding[] {
  const ofWorker = (text: string, fix: string) => differs(`The Worker ${service} ${text}`, fix)
  const place = `in the dashboard, under Workers & Pages, ${service}, Settings, Variables and secrets. Every pulumi up that changes the Worker sets all of them`
  const missingOrChanged = wanted.flatMap(one => {
    const there = found.find(({ name }) => name === one.name)
    const fix = `Set it ${place}.`
    if (there === undefined) return [ofWorker(`has no binding ${one.name} (${one.type}).`, fix)]
    if (there.type !== one.type) {
      const replaced = one.type === 'secret_text' ? ` Then replace the secret: it could be read.` : ''
      return [
        ofWorker(`binds ${one.name} as ${shown(there.type)} instead of ${one.type}.`, `${fix}${replaced}`),
      ]
    }
    const declared = comparableOf(one)
    // The service never returns secrets, and some values are unknown before the first deployment.
    if (declared === null || declared === there.value) return []
    return [ofWorker(`has ${one.name} = ${shown(there.value)} instead of ${shown(declared)}.`, fix)]
  })
  const names: readonly string[] = wanted.map(({ name }) => name)
  const more = found
    .filter(({ name }) => !names.includes(name))
    // Its value is not printed, because nobody declared it public.
    .map(({ name, type }) =>
      ofWorker(
        `has a binding ${shown(name)} (${shown(type)}), which is not declared.`,
        `Remove it ${place}.`,
      ),
    )
  return [...missingOrChanged, ...more]
}

/** Returns the value to compare; null if it is secret or unknown. */
function comparableOf(binding: WantedBinding): string | null {
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
