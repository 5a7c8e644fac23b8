/** Names a setting as it was given, which is the name in the table of inputs unless `nameSettings` said otherwise. */
let nameOf = (name: string): string => name

/** Names settings by this function from now on: in the command, they are flags or variables. */
export function nameSettings(by: typeof nameOf): void {
  nameOf = by
}

/** Returns how a setting is named, or written with a value: `create: true`, `--create` or `HOMEPORT_CREATE=true`. */
export function setting(name: string, value?: string): string {
  const named = nameOf(name)
  if (value === undefined) return named
  if (named === name) return `${name}: ${value}`
  if (!named.startsWith('--')) return `${named}=${value}`
  return value === 'true' ? named : `${named} ${value}`
}
