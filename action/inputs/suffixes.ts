import { canonicalHostname } from '../../lib/hostname.ts'
import { type Ipv6Suffix, parseSuffix } from '../address/suffix.ts'
import type { RecordType } from '../record-type.ts'
import type { Target } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import type { Reader } from './reader.ts'

/** Reads `ipv6-suffix`: one host part for all hostnames, or a hostname and its host part per line. */
export function readSuffixes(
  read: Reader,
  targets: readonly Target[],
  types: readonly RecordType[],
): ReadonlyMap<string, Ipv6Suffix> {
  const suffixes = new Map<string, Ipv6Suffix>()
  const lines = read.lines('ipv6-suffix')
  const addProblem = (message: string) => read.addProblem('ipv6-suffix', message)
  if (lines.length > 0 && !types.includes('AAAA')) addProblem('needs record-type AAAA or A,AAAA.')
  let common: Ipv6Suffix | null = null
  for (const line of lines) {
    const words = line.split(/\s+/)
    const suffix = parseSuffix(words.at(-1) ?? '')
    const hostname = words.length === 2 ? canonicalHostname(words[0] ?? '') : null
    const named = targets.some(target => target.hostname === hostname)
    if ('problem' in suffix) addProblem(`${quote(line)} ${suffix.problem}.`)
    else if (words.length === 1 && common === null) common = suffix.value
    else if (words.length === 1)
      addProblem('has several host parts without a name. Put a hostname before each.')
    else if (!hostname || !named) addProblem(`${quote(line)} does not start with one of the hostnames.`)
    else if (suffixes.has(hostname)) addProblem(`lists ${hostname} twice.`)
    else suffixes.set(hostname, suffix.value)
  }
  for (const { hostname } of lines.length > 0 ? targets : []) {
    const suffix = suffixes.get(hostname) ?? common
    if (suffix) suffixes.set(hostname, suffix)
    else
      addProblem(`has no host part for ${hostname}. Add a line for it, or one without a name for all others.`)
  }
  return suffixes
}
