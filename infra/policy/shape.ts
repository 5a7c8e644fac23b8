import { quoteValue } from '../../lib/quote.ts'
import { fieldOf, textOf } from '../json.ts'

/** A value that the configuration does not tell as it is. Of a property that can be absent, it fits undefined, too. */
export class Wanted {
  /** What it is, for messages. Never a secret. */
  readonly title: string
  readonly fits: (value: unknown) => boolean
  /** Logical names of the resources that it comes from. */
  readonly sources: readonly string[]
  /** Which output of theirs it is. */
  readonly output: string

  constructor(title: string, fits: Wanted['fits'], sources: readonly string[] = [], output = '') {
    this.title = title
    this.fits = fits
    this.sources = sources
    this.output = output
  }
}

/** What a declared value has to be. */
export type Shape = string | number | boolean | Wanted | readonly Shape[] | Shapes
export interface Shapes {
  readonly [name: string]: Shape | undefined
}

/** A part of a declared value, beside what it has to be. */
export interface Part {
  /** Such as `bindings.CLIENT_ID.text`. */
  readonly path: string
  readonly found: unknown
  readonly wanted: Shape
  /** The rest of a sentence; null if it is right. */
  readonly problem: string | null
}

/** Takes the place of what a preview does not know. */
const unknown = Symbol('unknown')

/** Returns a copy of a value for `compare`. The SDK's guard throws where a preview does not know a property. */
export function settled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.keys(value).map(name => [name, settledAt(value, name)] as const)
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

function settledAt(value: object, name: string): unknown {
  try {
    return settled(Reflect.get(value, name))
  } catch {
    return unknown
  }
}

/** Properties whose text is a secret, or can be one by mistake. */
const canBeSecret = /(content|[tT]ext|[vV]alue|[tT]oken|input|json|[sS]ecret|[A-Z_]{4,})$/

/** Compares a declared value with what it has to be. What a preview does not know is left for the run. */
export function* compare(found: unknown, wanted: Shape, path = ''): Generator<Part> {
  if (found === unknown || (wanted instanceof Wanted && hasUnknown(found))) return
  const part = (title: string | null): Part => {
    const isPlain =
      typeof found !== 'object' || (Array.isArray(found) && !found.some(one => typeof one === 'object'))
    const isShown = found == null || (isPlain && !canBeSecret.test(path))
    const problem = `has ${path} = ${isShown ? quoteValue(found) : 'something else'} instead of ${title}.`
    return { path, found, wanted, problem: title && problem }
  }
  if (wanted instanceof Wanted) yield part(wanted.fits(found) ? null : wanted.title)
  else if (isList(wanted)) {
    if (!Array.isArray(found)) yield part('a list')
    else if (wanted.some(one => textOf(one, 'name') !== null))
      yield* compare(byName(found), byName(wanted), path)
    else if (found.length !== wanted.length) yield part(`a list of ${wanted.length}`)
    else for (const [index, one] of wanted.entries()) yield* compare(found[index], one, `${path}[${index}]`)
  } else if (typeof wanted === 'object') {
    if (typeof found !== 'object' || found === null) return yield part('an object')
    const prefix = path === '' ? '' : `${path}.`
    for (const [name, one] of Object.entries(wanted))
      if (one !== undefined) yield* compare(fieldOf(found, name), one, prefix + name)
    const more = Object.entries(found).filter(
      // Bridged providers list there which inputs they added.
      ([name, value]) => !Object.hasOwn(wanted, name) && name !== '__defaults' && !isNothing(value),
    )
    for (const [name] of more)
      yield {
        ...part(null),
        problem: `declares ${quoteValue(prefix + name)}, which this program does not declare.`,
      }
  } else yield part(found === wanted ? null : quoteValue(wanted))
}

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape)

/** Returns bindings by their names, since their order says nothing. A name that occurs twice is another one. */
function byName<Value>(list: readonly Value[]): Readonly<Record<string, Value>> {
  const named: Record<string, Value> = Object.create(null)
  for (const [index, one] of list.entries()) {
    const name = textOf(one, 'name') ?? ''
    named[name in named ? `${name} ${index}` : name] = one
  }
  return named
}

/** Whether a preview does not know a value yet, or a part of it. */
function hasUnknown(value: unknown): boolean {
  return value === unknown || (typeof value === 'object' && Object.values(value ?? {}).some(hasUnknown))
}

/** False and empty values give no power, and providers add them as defaults. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isNothing)
  return value == null || value === false || value === ''
}
