import { type KeyReading, readHostname, readId, readIpv4, readIpv6, readList } from './readers.ts'

export const recordTypes = ['A', 'AAAA'] as const
export type RecordType = (typeof recordTypes)[number]

/** A record that the stack declares. */
export interface RecordPlan {
  readonly name: string
  readonly type: RecordType
  /** Its address until the first update. */
  readonly bootstrapAddress: string
  /** The record to adopt; null to create one. */
  readonly importId: string | null
}

/** In the order of the configuration: by hostname, then by type. */
export type RecordPlans = readonly [RecordPlan, ...RecordPlan[]]

/** Names a record for people: `home.example.com A`. */
export const titleOf = ({ name, type }: Pick<RecordPlan, 'name' | 'type'>): string => `${name} ${type}`

/** More would make a round of the action longer than its deadline. */
const maxHostnames = 100

/** Reads one or several hostnames, separated by commas, blanks or lines. */
export function readHostnames(text: string): KeyReading<readonly [string, ...string[]]> {
  const list = readList(text)
  if ('problems' in list) return list
  const [first, ...others] = list.value
  if (first === undefined) return { problems: ['names no hostname. Set one such as home.example.com.'] }
  const names = [first, ...others]
  if (names.length > maxHostnames) {
    return {
      problems: [`has ${names.length} hostnames, and ${maxHostnames} is the most. Use a second stack.`],
    }
  }
  if (others.length === 0) {
    const reading = readHostname(first)
    return 'value' in reading ? { value: [first] } : reading
  }
  const problems = names.flatMap((name, index) => {
    const shown = JSON.stringify(name.slice(0, 260))
    if (names.indexOf(name) < index) return [`has ${shown} twice. Remove one.`]
    const reading = readHostname(name)
    return 'value' in reading ? [] : reading.problems.map(problem => `has ${shown}, which ${problem}`)
  })
  return problems.length > 0 ? { problems } : { value: [first, ...others] }
}

/** Reads `A`, `AAAA` or both, in the order in which they are given: a stack's first record keeps its place. */
export function readRecordTypes(text: string): KeyReading<readonly [RecordType, ...RecordType[]]> {
  const words = text.split(',').map(word => word.trim())
  const [first, ...others] = words.flatMap(word => recordTypes.filter(type => type === word))
  if (first === undefined || words.length !== others.length + 1 || others.includes(first)) {
    return { problems: ['is not A, AAAA or both. Set A, AAAA or A,AAAA.'] }
  }
  return { value: [first, ...others] }
}

/** Reads the address of new records of a type. */
export const readBootstrap = { A: readIpv4, AAAA: readIpv6 } as const satisfies Record<
  RecordType,
  (text: string) => KeyReading<string>
>

/**
 * Reads which records to adopt: the ID of the only one, or a line `NAME TYPE ID` for each.
 * @param titles the declared records
 * @returns IDs by title
 */
export function readImports(
  text: string,
  titles: readonly string[],
): KeyReading<ReadonlyMap<string, string>> {
  const place = 'the list of records'
  if (!/\s/.test(text)) {
    const reading = readId(text, place)
    if ('problems' in reading) return reading
    const [only, ...others] = titles
    return only !== undefined && others.length === 0
      ? { value: new Map([[only, reading.value]]) }
      : {
          problems: [
            `does not say which of ${titles.length} records it is. Use a line for each, such as ${only} ${reading.value}.`,
          ],
        }
  }
  const problems: string[] = []
  const ids = new Map<string, string>()
  for (const line of text.split(/[\r\n;]+/).filter(one => one.trim() !== '')) {
    const [name = '', type = '', id = '', ...rest] = line.trim().split(/\s+/)
    const title = `${name} ${type}`
    const shown = JSON.stringify(line.trim().slice(0, 300))
    const reading = readId(id, place)
    if (rest.length > 0 || 'problems' in reading) {
      problems.push(`has the line ${shown}, which is not NAME TYPE ID. Copy the ID from ${place}.`)
    } else if (!titles.includes(title)) {
      problems.push(`has the line ${shown}, but the stack declares ${titles.join(', ')}. Fix or remove it.`)
    } else if (ids.has(title) || [...ids.values()].includes(reading.value)) {
      problems.push(`has the line ${shown}, whose record or ID another line has. Remove one.`)
    } else ids.set(title, reading.value)
  }
  return problems.length > 0 ? { problems } : { value: ids }
}
