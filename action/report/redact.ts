/**
 * What no text may show: the token, and addresses when they are masked. The state belongs to the process because every
 * quotation needs it before it cuts or escapes, and one forgotten argument would be a leak. Outputs keep addresses.
 */
const state: { tokenForms: readonly string[]; heads: RegExp | null; addresses: boolean } = {
  tokenForms: [],
  heads: null,
  addresses: false,
}

const mask = '***'
/** Minimum matching prefix; a reflected token may be truncated. */
const minMatchCharacters = 8

/** Redacts the token from now on. Returns every form of it, the plain one first, for the runner to mask as well. */
export function maskToken(token: string): readonly string[] {
  const words = token.split(/\s+/).filter(word => word !== '' && !/^bearer$/i.test(word))
  const forms = [...new Set(words.flatMap(formsOf))]
  state.tokenForms = [...new Set(forms.map(form => fold(form).text))].filter(form => form !== '')
  const heads = state.tokenForms.map(form =>
    form.slice(0, minMatchCharacters).replace(/[\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  // A lookahead, so that a match does not hide one that starts inside it.
  state.heads = heads.length > 0 ? new RegExp(`(?=${[...new Set(heads)].join('|')})`, 'g') : null
  return forms
}

/** Redacts addresses from now on, or no longer. */
export function maskAddresses(masked: boolean): void {
  state.addresses = masked
}

/** Returns the text with *** in place of the token, in any form, and of addresses that are masked. */
export function redact(text: string): string {
  const withoutToken = redactToken(text)
  if (!state.addresses) return withoutToken
  return withoutToken
    .replace(ipv6Run, run => (isIpv6(run) ? mask : run))
    .replace(dottedQuad, quad => (isLoopback(quad) ? quad : mask))
}

/**
 * Returns the text with *** in place of the token only, for outputs: they hold addresses in any case. A match starts with
 * the beginning of a form and extends as far as any form does. Case is ignored, and so are backslashes, which escapes
 * put before some characters, once or several times; those around a match go with it.
 */
export function redactToken(text: string): string {
  if (!state.heads) return text
  const folded = fold(text)
  let redacted = ''
  let done = 0
  for (const { index } of folded.text.matchAll(state.heads)) {
    const length = Math.max(...state.tokenForms.map(form => agreement(folded.text, index, form)))
    let start = folded.places[index] ?? 0
    let end = (folded.places[index + length - 1] ?? 0) + 1
    while (text[start - 1] === '\\') start--
    while (text[end] === '\\') end++
    if (start >= done) redacted += text.slice(done, start) + mask
    done = Math.max(done, end)
  }
  return redacted + text.slice(done)
}

/** Returns every address in the text that is masked; none while addresses are not. */
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
 * Returns what the base64 of any text that contains the word, such as a whole header, must contain: one form for each of
 * the three offsets of its first byte, without the characters at both ends that depend on the text around it.
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
    .filter(form => form.length >= minMatchCharacters)
}

/** Counts the characters of the text, from this place on, that are those of the form. */
function agreement(text: string, place: number, form: string): number {
  let length = 0
  while (length < form.length && text[place + length] === form[length]) length++
  return length
}

/** Returns the text in lower case (ASCII) and without backslashes, with the place that each character came from. */
function fold(text: string): { readonly text: string; readonly places: readonly number[] } {
  const lower = text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
  const places: number[] = []
  for (let place = 0; place < lower.length; place++) if (lower[place] !== '\\') places.push(place)
  return { text: lower.replaceAll('\\', ''), places }
}

/**
 * Patterns that rather match too much than too little: four or more groups of digits, and any run of hex digits and
 * colons with `::` or seven colons in it. Loopback addresses reveal nothing.
 */
const dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g
const ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi

function isLoopback(quad: string): boolean {
  return quad.startsWith('127.')
}

function isIpv6(run: string): boolean {
  return /::|(?::[^:]*){7}/.test(run) && /[0-9a-f]/i.test(run) && run !== '::1'
}
