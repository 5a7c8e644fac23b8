import { canonicalHostname, looksLikeHostname } from '../lib/hostname.ts'
import { isIpv4 } from '../lib/ip-address.ts'
import { type Ipv6Suffix, parseSuffix } from '../lib/ipv6-suffix.ts'
import { quote } from '../lib/quote.ts'
import type { Reading } from '../lib/reading.ts'
import { type RecordType, sortTypes } from '../lib/record-type.ts'
import { readRecordTypes } from '../lib/settings/readers.ts'

/** A hostname that routers may update. */
export interface Host {
  /** Canonical: lower case, Punycode, no trailing dot. */
  readonly name: string
  /** A first. */
  readonly types: readonly RecordType[]
  /** Of a host behind the router, whose AAAA record has the prefix of a ping before it. */
  readonly suffix?: Ipv6Suffix
  /** SHA-256 of each password, as 64 lower-case hex digits. Two while the password is changed. */
  readonly hashes: readonly string[]
}

/** Two let a router's password change without a gap. */
export const maxHashes = 2

/** Hosts choose the bits after these (RFC 4291 section 2.5.1). */
export const networkBits = 64

/** The longest text of a secret of a Worker (documentation of Workers, Limits). About 40 names. */
export const maxSecretBytes = 5 * 1024

/**
 * Reads `NAME TYPES sha256:HEX[,sha256:HEX]`, one a line, with `AAAA=::1:2:3:4/64` for a host part. The problem names every wrong line and continues the name of
 * the setting. It repeats no hash, and nothing that could be a password in its place.
 */
export function readHosts(text: string): Reading<readonly Host[]> {
  const hosts: Host[] = []
  const problems: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const host = readLine(line.trim())
    const isAgain = 'value' in host && hosts.some(({ name }) => name === host.value.name)
    if ('problem' in host) problems.push(`line ${index + 1} ${host.problem}`)
    else if (isAgain)
      problems.push(`line ${index + 1} names ${host.value.name} again. Keep one line for each name.`)
    else hosts.push(host.value)
  }
  if (problems.length > 0) return { problem: problems.join(' Also, ') }
  return hosts.length > 0 ? { value: hosts } : { problem: 'has no line.' }
}

/** Writes a host as `readHosts` reads it. */
export function hostLine(host: Host): string {
  return `${host.name} ${writeTypes(host)} ${host.hashes.map(hash => `sha256:${hash}`).join(',')}`
}

/** Writes the types of a host's records, and its host part: `A,AAAA=::1:2:3:4/64`. */
export function writeTypes({ types, suffix }: Pick<Host, 'types' | 'suffix'>): string {
  const part = suffix ? `=${suffix.host}/${suffix.prefixLength}` : ''
  return types.map(type => (type === 'AAAA' ? type + part : type)).join(',')
}

/** Reads the types of a host's records: `A`, `AAAA` or `A,AAAA`. */
export function readTypes(text: string): Reading<readonly RecordType[]> {
  const types = readRecordTypes(text)
  // What is there instead can be a password.
  return 'value' in types
    ? { value: sortTypes(types.value) }
    : { problem: 'has other types. Use A, AAAA or A,AAAA.' }
}

/** Reads a name that the endpoint can keep. A router cannot send a wildcard. */
export function readName(text: string): Reading<string> {
  const name = canonicalHostname(text)
  const found = text.includes('.') ? shown(text) : 'a name without a dot'
  if (name === null) return { problem: `has ${found}. Use a full name, such as home.example.com.` }
  if (name.startsWith('*.')) return { problem: `has the wildcard ${shown(text)}. Name each host.` }
  return { value: name }
}

/** Reads the host part of a name. The problem repeats none of it, since it can be a password. */
export function readSuffix(text: string): Reading<Ipv6Suffix> {
  const [host = '', length = ''] = text.split('/')
  if (isIpv4(host)) return { problem: 'is of IPv4, where a host has no part of its own' }
  if (!/^\d{1,3}$/.test(length) || (Number(length) > 0 && Number(length) <= networkBits))
    return parseSuffix(text)
  return { problem: `follows ${Number(length)} bits, and the prefix of a network has 1 to ${networkBits}` }
}

/** Returns a text without what is as long as a password or a hash. */
export function maskPasswords(text: string): string {
  return text.replace(/[a-z0-9]{26,}/gi, '***')
}

/** Quotes a text that is not a valid name. */
function shown(text: string): string {
  return quote(looksLikeHostname(text) ? text : maskPasswords(text))
}

function readLine(line: string): Reading<Host> {
  const [first = '', second = '', third = '', more] = line.split(/\s+/)
  if (third === '' || more !== undefined)
    return { problem: 'is not a name, types and hashes, such as home.example.com A,AAAA sha256:….' }
  const name = readName(first)
  if ('problem' in name) return name
  const kept = readKept(second, name.value)
  if ('problem' in kept) return kept
  const hashes = third.split(',').map(part => /^sha256:([0-9a-f]{64})$/i.exec(part)?.[1]?.toLowerCase() ?? '')
  const hint = 'Use sha256: and 64 hex digits, never the password itself.'
  if (hashes.includes('')) return { problem: `has no valid hash for ${name.value}. ${hint}` }
  if (hashes.length <= maxHashes) return { value: { name: name.value, ...kept.value, hashes } }
  return { problem: `has ${hashes.length} hashes for ${name.value}. Keep at most ${maxHashes}.` }
}

/** Reads the types of a host's records, and its host part. Problems repeat neither, since both can be a password. */
function readKept(text: string, name: string): Reading<Pick<Host, 'types' | 'suffix'>> {
  const words = text.split(',').map(word => /^([^=]*)(?:=(.*))?$/.exec(word) ?? [])
  const parts = words.flatMap(([, type = '', part]) => (part === undefined ? [] : [{ type, part }]))
  if (parts.length > 1) return { problem: `has ${parts.length} host parts for ${name}. Keep one.` }
  const types = readTypes(words.map(([, type]) => type).join())
  if ('problem' in types) return types
  const [only] = parts
  if (!only) return { value: { types: types.value } }
  if (only.type.toUpperCase() === 'A')
    return { problem: `has a host part for the A record of ${name}. Only AAAA can have one.` }
  const suffix = readSuffix(only.part)
  return 'value' in suffix
    ? { value: { types: types.value, suffix: suffix.value } }
    : { problem: `has a wrong host part for ${name}: it ${suffix.problem}.` }
}
