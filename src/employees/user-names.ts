import type { Reading } from '../../lib/reading.ts'

const maxAddressLength = 320

/** What a decoder writes for bytes that it cannot read (U+FFFD). */
export const lostLetter = '\ufffd'

/** Scripts that a name can be written in. */
const scripts = [
  /^\p{Script=Latin}*$/u,
  /^\p{Script=Greek}*$/u,
  /^\p{Script=Cyrillic}*$/u,
  /^\p{Script=Arabic}*$/u,
  /^\p{Script=Hebrew}*$/u,
  /^\p{Script=Hangul}*$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u,
]

/**
 * Whether an address or a name has no look-alike characters: no spaces, controls, invisible or unassigned characters, nor
 * U+FFFD; none that normalisation changes (full width, ligatures, the Kelvin sign); and letters of one script only (UTS 39
 * §5), since a Cyrillic letter among Latin ones imitates another name.
 */
export function isPlain(address: string): boolean {
  if (address.length === 0 || address.length > maxAddressLength) return false
  if (/^[\x21-\x7e]*$/.test(address)) return true
  if (/[\p{C}\p{Z}]/u.test(address) || address.includes(lostLetter)) return false
  const characters = [...address]
  if (characters.some(character => character.normalize('NFKC') !== character)) return false
  const [local = ''] = address.split('@')
  const letters = local.replace(/\P{L}/gu, '')
  return scripts.some(script => script.test(letters))
}

/** Returns a name without differences in case or composition, for comparing. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC')
}

/** Of names with more letters outside ASCII, only three spellings are looked up: lower, upper and title case. */
const maxVariedLetters = 4

/**
 * Returns the spellings to look up in a store, which compares them with lower() of its own names. They include every form
 * that lower() can give the name itself: SQLite's folds only ASCII; PostgreSQL's depends on the locale, can fold letter by
 * letter, and folds the dotted capital I to one letter. To find names that differ in case or composition, they also
 * include both cases of each letter outside ASCII, composed and decomposed.
 */
export function lookupNames(username: string): readonly string[] {
  if (/^[\x21-\x7e]*$/.test(username)) return [username.toLowerCase()]
  const byLetter = Array.from(username, letter => letter.toLowerCase()).join('')
  const asWritten = username.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const itself = [asWritten, byLetter, byLetter.replaceAll('i\u0307', 'i'), username.toLowerCase()]
  const folded = foldName(username)
  const letters = [...folded]
  const varied = letters.flatMap((letter, index) =>
    letter > '\x7f' && letter.toUpperCase() !== letter ? [index] : [],
  )
  const choices =
    varied.length <= maxVariedLetters
      ? Array.from({ length: 2 ** varied.length }, (_, choice) =>
          varied.filter((_, position) => choice & (1 << position)),
        )
      : [[], varied, varied.filter(index => !/\p{L}/u.test(letters[index - 1] ?? ''))]
  const spellings = choices.map(upper =>
    letters.map((letter, index) => (upper.includes(index) ? letter.toUpperCase() : letter)).join(''),
  )
  const both = [...itself, ...spellings].flatMap(name => [name.normalize('NFC'), name.normalize('NFD')])
  return [...new Set([...itself, ...both])]
}

const userNameRule = 'Use the part of the email address before the @.'
const lostLetterRule =
  'It contains U+FFFD, which stands for a letter that was lost. Correct the name where it comes from.'
export const idRule = 'Use 1 to 128 ASCII letters, digits and punctuation marks, without spaces.'

/** Reads a user name, or what to use instead if no employee of this name can sign in. */
export function readUserName(text: string): Reading<string> {
  if (text.includes(lostLetter)) return { problem: lostLetterRule }
  return isPlain(text) && !text.includes('@') ? { value: text } : { problem: userNameRule }
}

/** Whether an id can be shown in a header and a list. */
export function isId(text: string): boolean {
  return /^[!-~]{1,128}$/.test(text)
}
