const maxAddressLength = 320

/** Scripts that a name can be written in. Names in others are refused, but an operator can bind their owners. */
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
 * Whether an address or a name has no look-alike characters: no spaces, controls, invisible or unassigned characters;
 * none that normalisation changes (full width, ligatures, the Kelvin sign); and letters of one script only (UTS 39 §5),
 * since a Cyrillic letter among Latin ones is a disguise.
 */
export function isPlain(address: string): boolean {
  if (address.length === 0 || address.length > maxAddressLength) return false
  if (/^[\x21-\x7e]*$/.test(address)) return true
  if (/[\p{C}\p{Z}]/u.test(address)) return false
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

/** Names with more letters outside ASCII get three spellings, not all: lower case, upper case, capitalised words. */
const maxVariedLetters = 4

/**
 * Returns the spellings to look up in a store, which compares them with its own lower(). The name itself is among them
 * in every form that lower() may give it: SQLite's folds ASCII only, PostgreSQL's depends on the locale, may go letter by
 * letter, and gives the dotted capital I one letter. Names that fold to the same are covered by both cases of each letter
 * outside ASCII, both compositions, and ASCII in lower case.
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

export const userNameRule = 'Use the part of the email address before the @.'
export const idRule = 'Use 1 to 128 ASCII letters, digits and punctuation marks, without spaces.'

/** Whether somebody can sign in with a name. */
export function isUserName(text: string): boolean {
  return isPlain(text) && !text.includes('@')
}

/** Whether a header and a list can show an id. */
export function isId(text: string): boolean {
  return /^[!-~]{1,128}$/.test(text)
}
