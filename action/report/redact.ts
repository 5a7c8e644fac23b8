/**
 * What no text may show: the token, and addresses where they are to be hidden. One state for the process, since every
 * quotation needs it before it cuts or escapes, and an argument left out there would be a leak. Outputs keep addresses.
 */
const state: { tokenForms: readonly string[]; heads: RegExp | null; addresses: boolean } = {
  tokenForms: [],
  heads: null,
  addresses: false,
}

const shown = '***'
/** So much of a form's beginning is enough to know it: whoever reflects the token may have cut it short. */
const tellingCharacters = 8

/** Hides the token from now on, and gives every form it is known in, the plain one first. */
export function maskToken(token: string): readonly string[] {
  const words = token.split(/\s+/).filter(word => word !== '' && !/^bearer$/i.test(word))
  const forms = [...new Set(words.flatMap(formsOf))]
  state.tokenForms = forms.map(fold)
  const heads = state.tokenForms.map(form =>
    form.slice(0, tellingCharacters).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  state.heads = heads.length > 0 ? new RegExp([...new Set(heads)].join('|'), 'g') : null
  return forms
}

export function maskAddresses(hidden: boolean): void {
  state.addresses = hidden
}

/** The text with *** wherever it held the token, in any form, or an address that is to be hidden. */
export function redact(text: string): string {
  const withoutToken = redactToken(text)
  if (!state.addresses) return withoutToken
  return withoutToken
    .replace(ipv6Run, run => (isIpv6(run) ? shown : run))
    .replace(dottedQuad, quad => (isLoopback(quad) ? quad : shown))
}

/**
 * The text with *** wherever it held the token: for outputs, which hold addresses whatever is hidden. Whatever agrees
 * with the beginning of a form goes as far as it agrees with any of them, in any case.
 */
export function redactToken(text: string): string {
  if (!state.heads) return text
  const folded = fold(text)
  let rest = ''
  let done = 0
  for (const { index } of folded.matchAll(state.heads)) {
    const end = index + Math.max(...state.tokenForms.map(form => agreement(folded, index, form)))
    if (index >= done) rest += text.slice(done, index) + shown
    done = Math.max(done, end)
  }
  return rest + text.slice(done)
}

/** Every address in the text that is to be hidden; none while addresses may be shown. */
export function addressesToMask(text: string): readonly string[] {
  if (!state.addresses) return []
  const ipv6 = (text.match(ipv6Run) ?? []).filter(isIpv6)
  const quads = (text.match(dottedQuad) ?? []).filter(quad => !isLoopback(quad))
  return [...new Set([...ipv6, ...quads])]
}

function formsOf(word: string): readonly string[] {
  const percent = encodeURIComponent(word)
  const strict = percent.replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const json = JSON.stringify(word).slice(1, -1)
  const base64 = [base64Of(word), base64Of(`Bearer ${word}`), ...innerBase64(word)]
  const base64url = base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
  return [word, percent, strict, json, json.replaceAll('/', '\\/'), ...base64, ...base64url]
}

function base64Of(text: string): string {
  return Buffer.from(text).toString('base64')
}

/**
 * What stands in the base64 of any text around the word, such as a whole header: one form for each of the three places
 * where its first byte can fall, without the characters at both ends that depend on the neighbours too.
 */
function innerBase64(word: string): readonly string[] {
  const bytes = Buffer.byteLength(word)
  return [0, 1, 2]
    .map(offset =>
      base64Of(' '.repeat(offset) + word).slice(
        Math.ceil((offset * 8) / 6),
        Math.floor(((offset + bytes) * 8) / 6),
      ),
    )
    .filter(form => form.length >= tellingCharacters)
}

/** How many characters of the text from this place on are those of the form. */
function agreement(text: string, place: number, form: string): number {
  let length = 0
  while (length < form.length && text[place + length] === form[length]) length++
  return length
}

/** Lower case within ASCII, so that every character keeps its place. */
function fold(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
}

/**
 * Addresses, whatever stands beside them, and rather too much than too little: four groups of digits and more, and any
 * run of hex digits and colons with `::` or seven colons in it. The machine's own loopback tells nothing.
 */
const dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g
const ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi

function isLoopback(quad: string): boolean {
  return quad.startsWith('127.')
}

function isIpv6(run: string): boolean {
  return /::|(?::[^:]*){7}/.test(run) && /[0-9a-f]/i.test(run) && run !== '::1'
}
