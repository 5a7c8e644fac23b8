import type { JsonObject } from '../../http/validation.ts'
import type { Refusal } from '../errors.ts'
import { bindingUnsupported, rateLimitInvalid, scriptInvalid } from './errors.ts'
import { type Binding, databaseIdOf, isBinding, rateLimitOf, type Script } from './script.ts'
import type { Workers } from './workers.ts'

const supportedTypes = ['plain_text', 'secret_text', 'd1', 'ratelimit']
const maxBindings = 128

function refuseBinding(binding: Binding, { databases }: Workers): Refusal | null {
  const { name, type } = binding
  if (!supportedTypes.includes(type)) return bindingUnsupported(name, type, supportedTypes)
  if (type === 'd1') {
    const id = databaseIdOf(binding)
    return databases.has(id)
      ? null
      : scriptInvalid(`D1 binding '${name}' references database '${id}' which was not found.`)
  }
  if (type === 'ratelimit') return rateLimitOf(binding) ? null : rateLimitInvalid(name)
  return typeof binding['text'] === 'string'
    ? null
    : scriptInvalid(`Binding '${name}' of type '${type}' has no 'text'.`)
}

/** Reads the bindings of an upload: its list, and existing ones of the types that it keeps even if they are not in the list. */
export function readBindings(
  { bindings: sent, keep_bindings: keep }: JsonObject,
  previous: Script | undefined,
  workers: Workers,
): readonly Binding[] | Refusal {
  const list: readonly unknown[] = Array.isArray(sent) ? sent : []
  if (list.length > maxBindings)
    return scriptInvalid(`A Worker can have at most ${maxBindings} bindings, but ${list.length} were sent.`)
  const bindings: Binding[] = []
  for (const binding of list) {
    if (!isBinding(binding)) return scriptInvalid('A binding must be an object with a type and a name.')
    const { name } = binding
    const refusal = refuseBinding(binding, workers)
    if (refusal) return refusal
    if (bindings.some(other => other.name === name)) {
      return scriptInvalid(`There are two bindings named '${name}'.`)
    }
    bindings.push(binding)
  }
  const kept = (previous?.bindings ?? []).filter(
    ({ type, name }) =>
      Array.isArray(keep) && keep.includes(type) && !bindings.some(binding => binding.name === name),
  )
  return [...bindings, ...kept]
}
