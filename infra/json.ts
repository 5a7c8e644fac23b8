/** Readers for JSON of services and for properties of resources, whose form nobody guarantees. */

/** Returns a property as a list, or an empty list if it is not one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a property of an object, or undefined if the value is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns a property of an object if it is text, else null. */
export function textOf(value: unknown, name: string): string | null {
  const text = fieldOf(value, name)
  return typeof text === 'string' ? text : null
}

/** Returns what a path of names leads to, such as `web.redirectUris`. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(fieldOf, value)
}

/** Parses a time, also in the notation of Go that GitHub's provider records (`2026-11-22 17:00:00 +0000 UTC`). */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value.replace(' +0000 UTC', 'Z')) : Number.NaN
  return Number.isNaN(time) ? null : time
}
