import { isObject, type JsonObject } from '../../http/validation.ts'
import type { Module, RateLimit, RunningBinding, RunningWorker } from './runtime-options.ts'

/** A binding as sent: its type, its name, and the fields of the type. */
export type Binding = JsonObject & { readonly type: string; readonly name: string }

/** A stored Worker script. */
export interface Script {
  readonly name: string
  readonly modules: readonly Module[]
  readonly mainModule: string
  readonly bindings: readonly Binding[]
  /** Only the settings that were sent. */
  readonly settings: JsonObject
  readonly etag: string
  /** The id of the last version, and of its deployment. */
  readonly versionId: string
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

/** Reads the fields of a rate limit. Returns null if one is invalid. */
export function rateLimitOf({ namespace_id: namespace, simple }: Binding): RateLimit | null {
  if (typeof namespace !== 'string' || !/^\d{1,15}$/.test(namespace) || !isObject(simple)) return null
  // The SDK's form has numbers as text.
  const [limit, period] = [Number(simple['limit']), Number(simple['period'])]
  if (!Number.isInteger(limit) || limit < 1) return null
  return period === 10 || period === 60 ? { namespace, limit, period } : null
}

function running(binding: Binding): RunningBinding {
  const { type, name } = binding
  const rateLimit = type === 'ratelimit' ? rateLimitOf(binding) : null
  if (rateLimit) return { kind: 'rate-limit', name, rateLimit }
  if (type === 'd1') return { kind: 'database', name, databaseId: databaseIdOf(binding) }
  return { kind: 'value', name, value: binding['text'] }
}

/** Converts a script for the runtime. */
export function toRunning({ name, modules, settings, bindings }: Script): RunningWorker {
  const { compatibility_date: date, compatibility_flags: flags } = settings
  return {
    name,
    modules,
    compatibilityDate: typeof date === 'string' ? date : undefined,
    compatibilityFlags: Array.isArray(flags) ? flags.map(String) : [],
    bindings: bindings.map(running),
  }
}

/** Whether a value that was sent has the type and name of a binding. */
export const isBinding = (value: unknown): value is Binding =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['name'] === 'string'
