import { isObject, type JsonObject } from '../../http/validation.ts'

/** A binding as sent: its type, its name, and the fields of the type. */
export type Binding = JsonObject & { readonly type: string; readonly name: string }

/** A stored Worker script. */
export interface Script {
  readonly name: string
  readonly mainModule: string
  /** The content of its only module. */
  readonly code: string
  readonly bindings: readonly Binding[]
  /** Only the settings that were sent. */
  readonly settings: JsonObject
  readonly etag: string
  /** In RFC 3339. */
  readonly createdOn: string
  /** In RFC 3339. */
  readonly modifiedOn: string
}

/** The fields of upload metadata that are settings. */
const settingNames = [
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

/** The settings that belong to the script, and not to its versions. */
const scriptSettingNames = ['logpush', 'observability', 'tags', 'tail_consumers'] as const

const pick = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter(name => object[name] !== undefined).map(name => [name, object[name]]))

/** Returns the settings in upload metadata. */
export const settingsIn = (metadata: JsonObject): JsonObject => pick(metadata, settingNames)

/** Returns the settings that belong to the script. */
export const scriptSettingsIn = (settings: JsonObject): JsonObject => pick(settings, scriptSettingNames)

/** Returns a binding as served: a secret without its value. */
export function bindingView(binding: Binding): JsonObject {
  if (binding.type !== 'secret_text') return binding
  const { name, type } = binding
  return { name, type }
}

/** Returns a script as served in lists and after an upload. */
export function scriptView({ name, etag, createdOn, modifiedOn, settings }: Script) {
  const { observability, limits, ...listed } = settings
  return {
    id: name,
    etag,
    created_on: createdOn,
    modified_on: modifiedOn,
    has_assets: false,
    has_modules: true,
    ...(observability === undefined ? {} : { observability }),
    ...listed,
  }
}

/** Returns the settings and bindings of a script as served. */
export const settingsView = ({ settings, bindings }: Script): JsonObject => ({
  placement: {},
  ...settings,
  bindings: bindings.map(bindingView),
})

/** Returns the database id of a binding. The current API reference says `database_id`; clients send `id`. */
export const databaseIdOf = (binding: Binding): string =>
  String(binding['id'] ?? binding['database_id'] ?? '')

/** Reads the fields of a rate limit: calls for each key in a period of seconds. Returns null if one is invalid. */
export function rateLimitOf({ namespace_id, simple }: Binding) {
  if (typeof namespace_id !== 'string' || !/^\d{1,15}$/.test(namespace_id) || !isObject(simple)) return null
  // The SDK's form has numbers as text.
  const [limit, period] = [Number(simple['limit']), Number(simple['period'])]
  if (!Number.isInteger(limit) || limit < 1) return null
  return period === 10 || period === 60 ? { namespace_id, simple: { limit, period } } : null
}

/** Whether a value that was sent has the type and name of a binding. */
export const isBinding = (value: unknown): value is Binding =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['name'] === 'string'
