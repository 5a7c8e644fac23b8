import { isObject } from '../../lib/json.ts'
import { maskAddresses, maskSecrets, redact, redactTokenShapes } from '../../lib/redact.ts'

const eMail = /[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/g
const id = /\b(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/gi
const time = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)?/g
/** In an address of IPv6 that is part of a URL. */
const colons = /%3A(?=[0-9a-f:%]*(?:[^\w%]|$))/gi
/** Credentials that no list knows, such as a token that an answer hands out: by their form, and by the name of their field. */
const secret =
  /\beyJ[\w-]+\.[\w.-]+|\b(?:gh[a-z]|github_pat|cf(?:ut|at|k))_\w+|\b1\.A[\w.-]{40,}|[\w~+-]{37,}={0,2}/g
const names =
  'secretText|value|access_token|id_token|client_secret|client_assertion|encrypted_value|password|code_verifier'
const field = new RegExp(
  `(?<="(?:${names})":\\s*")[^"<]+(?=")|(?<=\\b(?:${names}|code|state)=)[^&\\s"<]+`,
  'g',
)
const isField = new RegExp(`^(?:${names})$`)
/** IDs of examples mean nobody. */
const isPlain = (text: string) => /^(.)\1+$/.test(text.replaceAll('-', '')) || /^0{8}/.test(text)

/** Known values by the names of their placeholders. What can contain another comes first. */
export type Known = Readonly<Record<string, string>>

/**
 * Returns what replaces all that is somebody's in a value of JSON by placeholders, the same for the same: known values by their
 * name, in any encoding, and what looks like an ID, a secret, an e-mail or an address by its kind and number.
 */
export function createMask(known: Known): <Value>(value: Value) => Value {
  const seen = new Map<string, string>()
  const counts = new Map<string, number>()
  const numbered = (kind: string) => (text: string) => {
    if (isPlain(text)) return text
    if (!seen.has(text)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return seen.get(text) ?? seen.set(text, `<${kind} ${counts.get(kind)}>`).get(text) ?? ''
  }
  const forms = Object.entries(known).flatMap(([name, value]) => formsOf(value).map(form => [form, name]))
  function mask(key: string, text: string): string {
    const masked = forms.reduce((rest, [form = '', name]) => rest.replaceAll(form, `<${name}>`), text)
    if (isField.test(key) && !masked.includes('<')) return numbered('secret')(masked)
    return withAddresses(
      masked
        .replace(/\/\/[^\s/@"]+@/g, '//')
        .replace(colons, ':')
        .replace(eMail, numbered('e-mail'))
        .replace(id, numbered('id'))
        .replace(time, '<time>')
        .replace(field, numbered('secret'))
        .replace(secret, numbered('secret')),
      address => numbered(address.includes(':') ? 'IPv6' : 'IPv4')(address),
    )
  }
  return value =>
    JSON.parse(JSON.stringify(value), (key, one) => {
      if (typeof one === 'string') return mask(key, one)
      if (!isObject(one)) return one
      return Object.fromEntries(Object.entries(one).map(([name, inside]) => [mask('', name), inside]))
    })
}

/** Replaces each address that means somebody. `redact` finds them. */
function withAddresses(text: string, replace: (address: string) => string): string {
  const told = new Set<string>()
  maskAddresses(true)
  redact(text, address => void told.add(address))
  maskAddresses(false)
  const longestFirst = [...told].sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, address) => rest.replaceAll(address, replace(address)), text)
}

/** Returns all forms of a secret, also inside JSON and in a form, the longest first. */
function formsOf(value: string): readonly string[] {
  const inForm = new URLSearchParams([['', value]]).toString().slice(1)
  const forms = maskSecrets([value, JSON.stringify(value).slice(1, -1), inForm])
  maskSecrets([])
  return forms.toSorted((one, other) => other.length - one.length)
}

/** Returns what a text still has of somebody, so that it must not be written; null if nothing. */
export function leakIn(text: string, known: Known): string | null {
  const lower = text.toLowerCase()
  const isIn = (value: string) => formsOf(value).some(form => lower.includes(form.toLowerCase()))
  const name = Object.keys(known).find(key => isIn(known[key] ?? ''))
  if (name !== undefined) return `the ${name}`
  if (text.search(eMail) >= 0) return 'an e-mail'
  const decoded = text.replaceAll(/%3A/gi, ':')
  if (withAddresses(decoded, () => '') !== decoded) return 'a public address'
  return redactTokenShapes(text) === text ? null : 'what looks like a token'
}
