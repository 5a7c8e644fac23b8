import type { AddressRules } from '../address/check.ts'
import type { AddressSource } from '../address/detect.ts'
import type { EchoSource } from '../address/echo.ts'
import { type Cidr, parseCidr, parseIpv4 } from '../address/ipv4.ts'
import { majority } from '../address/quorum.ts'
import { quote } from '../report/quote.ts'
import { type Reader, readBoolean } from './reader.ts'
import { defaultEchoUrls } from './table.ts'
import { hasCredentials, parseSafeUrl } from './url.ts'

const maxSources = 10

/** Reads `address`, or `address-sources` with their `quorum`: where the address comes from. */
export function readSource(read: Reader): AddressSource {
  const given = read.text('address')
  const urls = read.lines('address-sources')
  if (given !== '') {
    if (urls.length > 0)
      read.addProblem('address', 'cannot be combined with address-sources. Remove one of them.')
    const address = parseIpv4(given)
    if (!address) {
      read.addProblem('address', `is ${quote(given)}. Enter one IPv4 address, such as 198.51.100.7.`)
    }
    return { kind: 'given', address: address ?? '' }
  }
  if (urls.length > maxSources) {
    read.addProblem('address-sources', `lists ${urls.length} sources. The limit is ${maxSources}.`)
    return { kind: 'echo', sources: [], quorum: 1 }
  }
  const sources = (urls.length > 0 ? urls : defaultEchoUrls).flatMap(url => readEchoUrl(read, url))
  const names = new Set<string>()
  for (const { name } of sources) {
    if (names.has(name)) {
      read.addProblem(
        'address-sources',
        `lists ${name} twice. A service has one vote: remove one of its URLs.`,
      )
    }
    names.add(name)
  }
  return { kind: 'echo', sources, quorum: readQuorum(read, sources.length) }
}

/** Reads `expected-cidr` and `allow-reserved-address`: which addresses a record may hold. */
export function readAddressRules(read: Reader): AddressRules {
  return { expectedCidrs: readCidrs(read), allowReserved: readBoolean(read, 'allow-reserved-address') }
}

function readEchoUrl(read: Reader, text: string): readonly EchoSource[] {
  const addProblem = (message: string) => read.addProblem('address-sources', message)
  if (text.startsWith('dns:')) {
    addProblem(`${quote(text)} is not supported in this version. Use the https URLs of echo services.`)
    return []
  }
  const url = parseSafeUrl(text)
  if (!url) {
    addProblem(`${quote(text)} is not an https URL. Use https (http only on loopback), one URL per line.`)
    return []
  }
  if (hasCredentials(url)) {
    addProblem(
      `has a user name or password in the URL for ${quote(url.host)}. Remove it: an echo service needs none.`,
    )
    return []
  }
  return [{ url: url.href, name: url.host }]
}

function readQuorum(read: Reader, sources: number): number {
  const text = read.text('quorum')
  if (text === '') return majority(sources)
  const quorum = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (quorum < 1 || quorum > sources) {
    read.addProblem(
      'quorum',
      `is ${quote(text)}. Use a whole number from 1 to ${sources}, the number of sources.`,
    )
  }
  return quorum
}

function readCidrs(read: Reader): readonly Cidr[] {
  return read.lines('expected-cidr').flatMap(line => {
    const range = parseCidr(line)
    if (!('problem' in range)) return [range]
    read.addProblem('expected-cidr', `${quote(line)} ${range.problem}.`)
    return []
  })
}
