import type { JsonObject } from '../../http/validation.ts'
import { bindingUnsupported, rateLimitInvalid, scriptInvalid } from './errors.ts'
import { type Binding, databaseIdOf, isBinding, rateLimitOf, type Script } from './script.ts'
import type { Workers } from './workers.ts'

const supportedTypes = ['plain_text', 'secret_text', 'd1', 'ratelimit']
const maxBindings = 128

function checkBinding(binding: Binding, { databases }: Workers): void {
  const { name, type } = binding
  if (!supportedTypes.includes(type)) throw bindingUnsupported(name, type, supportedTypes)
  if (type === 'd1') {
    const id = databaseIdOf(binding)
    if (!databases.has(id))
      throw scriptInvalid(`D1 binding '${name}' references database '${id}' which was not found.`)
  } else if (type === 'ratelimit') {
    if (!rateLimitOf(binding)) throw rateLimitInvalid(name)
  } else if (typeof binding['text'] !== 'string')
    throw scriptInvalid(`Binding '${name}' of type '${type}' has no 'text'.`)
}

/** Reads the bindings of an upload: its list, and existing ones of the types that it keeps even if they are not in the list. */
export function readBindings(
  { bindings: sent, keep_bindings: keep }: JsonObject,
  previous: Script | undefined,
  workers: Workers,
): readonly Binding[] {
  const list: readonly unknown[] = Array.isArray(sent) ? sent : []
  if (list.length > maxBindings)
    throw scriptInvalid(`A Worker can have at most ${maxBindings} bindings, but ${list.length} were sent.`)
  const bindings: Binding[] = []
  for (const binding of list) {
    if (!isBinding(binding)) throw scriptInvalid('A binding must be an object with a type and a name.')
    const { name } = binding
    checkBinding(binding, workers)
    if (bindings.some(other => other.name === name)) {
      throw scriptInvalid(`There are two bindings named '${name}'.`)
    }
    bindings.push(binding)
  }
  const kept = (previous?.bindings ?? []).filter(
    ({ type, name }) =>
      Array.isArray(keep) && keep.includes(type) && !bindings.some(binding => binding.name === name),
  )
  return [...bindings, ...kept]
}
