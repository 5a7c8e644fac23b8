import type { ServiceState } from '../http/service.ts'
import { readFields, readObject, readString, withDefault } from '../http/validation.ts'
import type { Place, Repository, Valued } from './repository.ts'

/** What a place holds, by name, in clear. */
interface PlaceState {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** GitHub in `/state`. */
export interface GitHubState {
  /** Of the repository itself. */
  readonly actions: PlaceState
  readonly environments: Readonly<Record<string, PlaceState>>
}

const valuesOf = (values: ReadonlyMap<string, Valued>): Record<string, string> =>
  Object.fromEntries([...values.values()].map(({ name, value }) => [name, value]))

const placeView = ({ secrets, variables }: Place): PlaceState => ({
  secrets: valuesOf(secrets),
  variables: valuesOf(variables),
})

function readValues(value: unknown, where: string): Map<string, string> {
  const entries = Object.entries(readObject(value, where))
  return new Map(entries.map(([name, text]) => [name.toUpperCase(), readString(text, `${where}.${name}`)]))
}

const placeFields = {
  secrets: withDefault(new Map(), readValues),
  variables: withDefault(new Map(), readValues),
}

function readEnvironments(value: unknown, where: string) {
  const entries = Object.entries(readObject(value, where))
  return new Map(
    entries.map(([name, place]) => [name, readFields(place, `${where}.${name}`, placeFields)] as const),
  )
}

/** Replaces values. Unchanged ones keep their dates. @param now RFC 3339 */
function put(target: Map<string, Valued>, values: ReadonlyMap<string, string>, now: string): void {
  for (const name of target.keys()) if (!values.has(name)) target.delete(name)
  for (const [name, value] of values) {
    const before = target.get(name)
    if (before?.value !== value) {
      target.set(name, { name, value, createdAt: before?.createdAt ?? now, updatedAt: now })
    }
  }
}

/** The part of `/state` that holds the repository's secrets and variables, in clear. @param clock milliseconds since 1970 */
export function gitHubState(repository: Repository, clock: () => number): ServiceState {
  const read = (): GitHubState => ({
    actions: placeView(repository.actions),
    environments: Object.fromEntries(
      [...repository.environments].map(([name, place]) => [name, placeView(place)]),
    ),
  })
  return {
    keys: ['github'],
    read: () => ({ github: read() }),
    prepare({ github }) {
      if (github === undefined) return () => undefined
      const present = read()
      const { actions, environments } = readFields(
        { ...present, ...readObject(github, 'github') },
        'github',
        {
          actions: (value, where) => readFields(value, where, placeFields),
          environments: readEnvironments,
        },
      )
      return () => {
        const now = new Date(clock()).toISOString()
        for (const name of repository.environments.keys()) {
          if (!environments.has(name)) repository.environments.delete(name)
        }
        const places = [...environments].map(
          ([name, contents]) => [repository.ensure(name), contents] as const,
        )
        for (const [place, { secrets, variables }] of [[repository.actions, actions] as const, ...places]) {
          put(place.secrets, secrets, now)
          put(place.variables, variables, now)
        }
      }
    },
  }
}
