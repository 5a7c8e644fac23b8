import { describeProblem, type SettingReading } from '../../src/settings/problems.ts'
import { fixOf, type Key, keys } from './keys.ts'
import { type KeyReading, readList } from './readers.ts'

/** Reads keys one by one, and collects what is wrong with them, so that fixing one does not reveal the next. */
export class KeyReader {
  readonly problems: string[] = []
  /** Milliseconds since 1970. */
  readonly now: number
  readonly #given: ReadonlyMap<string, string>
  readonly #withheld: readonly Key[]

  /** @param withheld keys whose values the caller may not see, and which are therefore not checked */
  constructor(given: ReadonlyMap<string, string>, now: number, withheld: readonly Key[]) {
    this.#given = given
    this.#withheld = withheld
    this.now = now
  }

  /** Adds a problem in a text that continues the name of the key. */
  refuse(key: Key, text: string): void {
    this.problems.push(`${key} ${text}`)
  }

  isWithheld(key: Key): boolean {
    return this.#withheld.includes(key)
  }

  isGiven(key: Key): boolean {
    return (this.#given.get(key)?.trim() ?? '') !== ''
  }

  /** Returns the value of a key, or its default; an empty text if it has neither. */
  textOf(key: Key): string {
    return this.#given.get(key)?.trim() || (keys[key] ?? '')
  }

  /** Reads a key by a rule of this program. Returns null if it is wrong or not set. */
  read<T>(key: Key, reader: (text: string) => KeyReading<T>): T | null {
    const text = this.textOf(key)
    if (text === '') {
      if (keys[key] === null) this.refuse(key, `is missing. ${fixOf(key)}`)
      return null
    }
    const reading = reader(text)
    if ('value' in reading) return reading.value
    for (const problem of reading.problems) this.refuse(key, problem)
    return null
  }

  /** Reads a text of a key by a rule of the handler. Returns null if it is wrong. */
  readShared<T>(key: Key, reader: (text: string) => SettingReading<T>, text = this.textOf(key)): T | null {
    const reading = reader(text)
    if ('value' in reading) return reading.value
    for (const problem of reading.problems) this.refuse(key, `${describeProblem(problem)} ${fixOf(key)}`)
    return null
  }

  /** Reads a list whose parts are each in a form. */
  readParts(key: Key, wanted: string, fits: (part: string) => boolean): readonly string[] {
    const parts = this.read(key, readList)
    if (parts?.length === 0) {
      this.refuse(key, `is set but empty. List ${wanted}, or remove it: pulumi config rm ${key}`)
    }
    for (const part of parts?.filter(one => !fits(one)) ?? []) {
      this.refuse(key, `has ${JSON.stringify(part)}, which is not ${wanted}. Fix or remove it.`)
    }
    return [...new Set(parts)]
  }
}
