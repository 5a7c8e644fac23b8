/**
 * What no text may show: secrets, and addresses when they are masked. The state belongs to the process because every
 * quotation needs it before it cuts or escapes, and one forgotten argument would be a leak. Outputs keep addresses.
 */
const state: { pieces: ReadonlyMap<number, ReadonlySet<string>>; addresses: boolean } = {
  pieces: new Map(),
  addresses: false,
}

const mask = '***'
/** The shortest part of a secret that is masked: a reflected secret may lack its beginning or its end. */
const pieceCharacters = 8

/**
 * Redacts these secrets and these parts of URLs, one per line, from now on. Returns every form of them, the plain one first, for
 * the runner to mask as well. What a URL has in common with `shown` is not redacted: monitors often have the hostname in it.
 */
export function maskSecrets(
  secrets: readonly string[],
  urls = '',
  shown: readonly string[] = [],
): readonly string[] {
  const pieces = new Map<number, Set<string>>()
  const addPieces = (forms: readonly string[], except: string) => {
    for (const form of new Set(forms.map(form => fold(form).text))) {
      const length = Math.min(form.length, pieceCharacters)
      const ofLength = pieces.get(length) ?? new Set()
      for (let start = 0; start + length <= form.length; start++) {
        const piece = form.slice(start, start + length)
        if (!except.includes(piece)) ofLength.add(piece)
      }
      if (length > 0) pieces.set(length, ofLength)
    }
  }
  const [forms, urlForms] = [secrets, [urls]].map(allFormsOf)
  addPieces(forms ?? [], '')
  addPieces(urlForms ?? [], fold(shown.join('\n')).text)
  state.pieces = pieces
  return [...new Set([...(forms ?? []), ...(urlForms ?? [])])]
}

function allFormsOf(secrets: readonly string[]): readonly string[] {
  return (
    secrets
      // Stryker disable next-line Regex: The empty words between two spaces are dropped in the next line
      .flatMap(secret => secret.split(/\s+/))
      .filter(word => word !== '' && !/^bearer$/i.test(word))
      .flatMap(formsOf)
  )
}

/** Redacts addresses from now on, or no longer. */
export function maskAddresses(masked: boolean): void {
  state.addresses = masked
}

/** Returns the text with *** in place of secrets, in any form, and of addresses that are masked. */
export function redact(text: string): string {
  const withoutSecrets = redactSecrets(text)
  if (!state.addresses) return withoutSecrets
  return withoutSecrets
    .replace(ipv6Run, run => (isIpv6(run) && !isHarmless(run) ? mask : run))
    .replace(dottedQuad, quad => (isHarmless(quad) ? quad : mask))
}

/**
 * Returns the text with *** in place of secrets only, for outputs: they hold addresses in any case. Any eight
 * consecutive characters of a form are masked. Case is ignored, and so are backslashes, which escapes put before some
 * characters, once or several times; those around a match go with it.
 */
export function redactSecrets(text: string): string {
  // Stryker disable next-line ConditionalExpression: Without pieces nothing is found; the line only saves the work
  if (state.pieces.size === 0) return text
  const folded = fold(text)
  let redacted = ''
  let done = 0
  for (const [from, to] of findPieces(folded.text)) {
    let start = folded.places[from] ?? 0
    let end = (folded.places[to - 1] ?? 0) + 1
    while (text[start - 1] === '\\') start--
    while (text[end] === '\\') end++
    // Stryker disable next-line ConditionalExpression: Between two matches is a character that is no backslash, so the second never starts inside the first
    if (start >= done) redacted += text.slice(done, start) + mask
    done = Math.max(done, end)
  }
  return redacted + text.slice(done)
}

/** Yields where secrets appear in a folded text: the first character, and the one after the last. */
function* findPieces(text: string): Generator<readonly [from: number, to: number]> {
  let from = -1
  let to = -1
  // Stryker disable next-line EqualityOperator: No piece is empty, so none is found behind the end
  for (let start = 0; start < text.length; start++) {
    for (const [length, pieces] of state.pieces) {
      if (!pieces.has(text.slice(start, start + length))) continue
      if (start > to) {
        if (from >= 0) yield [from, to]
        from = start
      }
      to = Math.max(to, start + length)
    }
  }
  if (from >= 0) yield [from, to]
}

/** Returns every address in the text that must be masked; none while addresses are not masked. */
export function addressesToMask(text: string): readonly string[] {
  if (!state.addresses) return []
  // Stryker disable next-line ArrayDeclaration: The filter drops what is no address
  const ipv6 = (text.match(ipv6Run) ?? []).filter(isIpv6)
  const quads = text.match(dottedQuad) ?? []
  return [...new Set([...ipv6, ...quads])].filter(address => !isHarmless(address))
}

function formsOf(word: string): readonly string[] {
  const percent = encodeURIComponent(word)
  const strict = percent.replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const json = JSON.stringify(word).slice(1, -1)
  const base64 = [base64Of(word), base64Of(`Bearer ${word}`), ...innerBase64(word)]
  // Stryker disable next-line Regex: Base64 has = at its end only
  const base64url = base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
  return [word, percent, strict, json, json.replaceAll('/', '\\/'), ...base64, ...base64url]
}

const utf8 = new TextEncoder()

function base64Of(text: string): string {
  return btoa(String.fromCharCode(...utf8.encode(text)))
}

/**
 * Returns what the base64 of any text that contains the word, such as a whole header, must contain: one form for each of
 * the three offsets of its first byte, without the characters at both ends that depend on the text around it.
 */
function innerBase64(word: string): readonly string[] {
  const bytes = utf8.encode(word).length
  return [0, 1, 2]
    .map(offset =>
      base64Of(' '.repeat(offset) + word).slice(
        Math.ceil((offset * 8) / 6),
        Math.floor(((offset + bytes) * 8) / 6),
      ),
    )
    .filter(form => form.length >= pieceCharacters)
}

/** Returns the text in lower case (ASCII) and without backslashes, with the place that each character came from. */
function fold(text: string): { readonly text: string; readonly places: readonly number[] } {
  // Stryker disable next-line Regex: Letters become lower case one by one or together
  const lower = text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
  const places: number[] = []
  // Stryker disable next-line EqualityOperator: The place behind the end is added last and never looked at
  for (let place = 0; place < lower.length; place++) if (lower[place] !== '\\') places.push(place)
  return { text: lower.replaceAll('\\', ''), places }
}

/**
 * These patterns match too much rather than too little: four or more groups of digits, and any run of hex digits and
 * colons with `::` or seven colons in it.
 */
const dottedQuad = /\d{1,3}(?:\.\d{1,3}){3,}\d*/g
const ipv6Run = /[0-9a-f:]+(?:\.\d+)*/gi

/**
 * Loopback and documentation addresses (RFC 5737, RFC 3849, RFC 9637) reveal nothing. Masking them would only take
 * examples out of messages.
 */
const harmless =
  /^(?:127(?:\.\d{1,3}){3}|192\.0\.2\.\d{1,3}|198\.51\.100\.\d{1,3}|203\.0\.113\.\d{1,3}|::1|2001:0?db8:[\da-f:]*|3fff:0?[\da-f]{1,3}:[\da-f:]*|3fff::[\da-f:]*)$/i

function isHarmless(address: string): boolean {
  return harmless.test(address)
}

function isIpv6(run: string): boolean {
  return /::|(?::[^:]*){7}/.test(run) && /[0-9a-f]/i.test(run)
}
