import { isObject, type JsonObject } from '../../http/validation.ts'
import type { Module, RunningBinding, RunningWorker } from './runtime-options.ts'

/** A binding as it was sent: its type, its name in the Worker's environment, and what the type wants. */
export type Binding = JsonObject & { readonly type: string; readonly name: string }

/** A Worker as it is kept. */
export type Script = {
  readonly name: string
  readonly modules: readonly Module[]
  /** Absent for a script in the older syntax, which listens for `fetch`. */
  readonly mainModule: string | undefined
  readonly bindings: readonly Binding[]
  /** The settings that were sent, and no others. */
  readonly settings: JsonObject
  readonly etag: string
  /** RFC 3339 */
  readonly createdOn: string
  /** RFC 3339 */
  readonly modifiedOn: string
}

/** What of an upload's metadata is a setting that can be read again. */
export const settingNames = [
  'compatibility_date',
  'compatibility_flags',
  'usage_model',
  'logpush',
  'observability',
  'placement',
  'limits',
  'tags',
  'tail_consumers',
] as const

/** The settings in an upload's metadata. */
export const settingsIn = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(
    settingNames.filter(name => metadata[name] !== undefined).map(name => [name, metadata[name]]),
  )

/** A binding as it is served: a secret without its value. */
export const bindingView = (binding: Binding): JsonObject => {
  if (binding.type !== 'secret_text') return binding
  const { name, type } = binding
  return { name, type }
}

/** A script as it is listed and as its upload is answered. */
export const scriptView = ({ name, etag, mainModule, createdOn, modifiedOn, settings }: Script) => {
  const { observability, limits, ...listed } = settings
  return {
    id: name,
    etag,
    created_on: createdOn,
    modified_on: modifiedOn,
    has_assets: false,
    has_modules: mainModule !== undefined,
    ...(observability === undefined ? {} : { observability }),
    ...listed,
  }
}

/** A script's settings with its bindings. */
export const settingsView = ({ settings, bindings }: Script): JsonObject => ({
  ...settings,
  bindings: bindings.map(bindingView),
})

/** The database that a binding names: `database_id` is the name in current documents, `id` the one in use. */
export const databaseIdOf = (binding: Binding): string =>
  String(binding['id'] ?? binding['database_id'] ?? '')

const running = (binding: Binding): RunningBinding => {
  const { type, name } = binding
  if (type === 'd1') return { kind: 'database', name, databaseId: databaseIdOf(binding) }
  return { kind: 'value', name, value: type === 'json' ? binding['json'] : binding['text'] }
}

/** A script in the form in which it runs. */
export const toRunning = ({ name, modules, mainModule, settings, bindings }: Script): RunningWorker => {
  const { compatibility_date: date, compatibility_flags: flags } = settings
  return {
    name,
    modules,
    mainModule,
    compatibilityDate: typeof date === 'string' ? date : undefined,
    compatibilityFlags: Array.isArray(flags) ? flags.map(String) : [],
    bindings: bindings.map(running),
  }
}

export const isBinding = (value: unknown): value is Binding =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['name'] === 'string'
