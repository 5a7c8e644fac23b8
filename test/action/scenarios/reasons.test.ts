import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { type Reason, reasons } from '../../../action/problem.ts'

/**
 * A scenario that fails with each reason. The stage checks the explanation, the annotation and the summary of every
 * failure, so no scenario has to do that here.
 */
const scenarios: Readonly<Record<Reason, readonly [file: string, name: string]>> = {
  'invalid-input': ['run', 'are all named if they are all missing, before any request'],
  'hosted-runner': ['run', 'is refused with echo services, before any request'],
  'address-unavailable': ['echo', 'is not reached by too few answers'],
  'address-disagreement': ['echo', 'is not reached by three different answers'],
  'address-not-public': ['echo', 'does not keep two others from reaching the quorum'],
  'address-unexpected': ['ipv6', 'is appended to the prefix of a given address, one for all'],
  'token-rejected': ['refusal', 'malformed: fails without another attempt'],
  'zone-not-found': ['refusal', 'unknown: the message says where to find the ID'],
  'record-missing': ['record', 'no record: fails and writes nothing'],
  'record-ambiguous': ['record', 'several A records: fails and names their ids'],
  'record-conflict': ['record', 'a CNAME at the name: fails and never replaces it'],
  'record-read-only': ['record', 'managed by another product: fails and leaves it alone'],
  'write-rejected': ['many-names', 'fails the run, which says which names are correct'],
  'write-unconfirmed': ['write-fault', 'fails if it cannot be read back'],
  'not-served': ['verify', 'fails with not-served if a name server is down'],
  'rate-limited': ['list-fault', 'fails at once if Retry-After is later than the deadline'],
  'service-unavailable': ['list-fault', 'refuses an oversized response'],
  deadline: ['list-fault', 'writes nothing if no time is left to read the record back'],
  unexpected: ['list-fault', 'is refused if it redirects, and the token goes nowhere else'],
}

it.each(reasons)('a scenario fails with %s', async reason => {
  const [file, name] = scenarios[reason]
  const source = await readFile(new URL(`${file}.test.ts`, import.meta.url), 'utf8')
  const [, scenario = ''] = source.split(`'${name}'`)
  expect(scenario.split(/\bscenario\(/)[0]).toContain(`'${reason}'`)
})
