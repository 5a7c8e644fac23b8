import { type AddressRules, checkAddress } from '../action/address/check.ts'
import { type Decision, type DecisionInputs, decide, resultOf } from '../action/decide.ts'
import type { Problem } from '../action/problem.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import { type Listing, listRecords } from '../action/records/list.ts'
import type { ZonedTarget } from '../action/records/record.ts'
import type { RecordResult } from '../action/result.ts'
import { carryOut } from '../action/write.ts'
import { failure } from '../lib/exchange.ts'
import type { RecordType } from '../lib/record-type.ts'

/** A name whose records follow the addresses that somebody gives, and keep everything else. */
export interface KeptName extends Pick<DecisionInputs, 'addresses'> {
  readonly target: ZonedTarget
  readonly addressRules: AddressRules
}

/** What happened to a record. It is unsettled after a write that was not confirmed: only a later read shows what it holds. */
export interface Kept {
  readonly result: RecordResult
  readonly unsettled: boolean
}

/**
 * Decides about the record that should hold a given address. It keeps its TTL and its proxy, and none is created. An
 * address that no record may hold needs no listing.
 */
export function decideGiven(
  { target, addressRules, addresses }: KeptName,
  type: RecordType,
  address: string,
  listing: Listing | null,
): Decision {
  const record = { ttl: null, proxied: null, onDrift: 'warn', create: false } as const
  const learn = () => {
    const problem = checkAddress(address, addressRules)
    return problem ? { problem } : { value: address }
  }
  return decide({ ...target, type }, learn, listing, { addresses, record })
}

/**
 * Keeps the records of one name: lists them once, writes only what differs, and lists them again after each write. Types
 * fail apart. An address that no record may hold costs no request. Several callers may keep the same name at once.
 * @param isOvertaken whether the caller may not write a record, because a later one has another address for it
 */
export async function keepRecords(
  name: KeptName,
  addresses: readonly (readonly [RecordType, string])[],
  api: DnsApi,
  isOvertaken: (type: RecordType) => boolean = () => false,
): Promise<readonly Kept[]> {
  const { target, addressRules } = name
  let known: Listing | null = null

  async function decideNow(type: RecordType, address: string): Promise<Decision> {
    if (checkAddress(address, addressRules) === null) known ??= await listRecords(api, target)
    return decideGiven(name, type, address, known)
  }

  async function keep(type: RecordType, address: string): Promise<Kept> {
    const decision = isOvertaken(type) ? null : await decideNow(type, address)
    if (decision?.kind === 'done') return { result: decision.result, unsettled: false }
    if (decision === null || isOvertaken(type)) {
      const problem = overtaken(target, type)
      const result = resultOf({ ...target, type }, address, null, { result: 'failed', problem })
      return { result, unsettled: false }
    }
    known = null
    let isSent = false
    const { deadline } = api
    const exchange: typeof api.exchange = async request => {
      if (request.method === 'GET') return api.exchange(request)
      if (isOvertaken(type)) return failure('aborted', 'a later ping has another address')
      // A write that is cut off can arrive after a later ping has read the record.
      if (request.timeoutMs < deadline.callMs / 2) return failure('aborted', 'too little time is left')
      isSent = true
      return api.exchange(request)
    }
    // Of little time, half is for the write, and half for reading it back.
    const callMs = Math.min(deadline.callMs, deadline.remainingMs() / 2)
    const result = await carryOut(decision, { ...api, exchange, deadline: { ...deadline, callMs } })
    let { problem } = result
    if (!isUnsettled(problem)) {
      // Another caller may have written an older address since, or NS records hide the name.
      const after = await decideNow(type, address)
      // Another caller wrote the address before this one could.
      if (!isSent && after.kind === 'done') return { result: after.result, unsettled: false }
      problem = after.kind === 'done' ? after.result.problem : unconfirmed(target, type)
      if (isUnsettled(problem)) problem = unconfirmed(target, type)
    }
    const unsettled = isUnsettled(problem)
    const ifServed = problem === null || unsettled ? null : 'updated'
    return { result: { ...result, result: problem ? 'failed' : 'updated', ifServed, problem }, unsettled }
  }

  const kept: Kept[] = []
  for (const [type, address] of addresses) kept.push(await keep(type, address))
  return kept
}

function isUnsettled(problem: Problem | null): boolean {
  return problem !== null && problem.reason !== 'not-served'
}

function overtaken({ hostname }: ZonedTarget, type: RecordType): Problem {
  const message = `The ${type} record of ${hostname} was not written, because a later ping has another address for it.`
  return { reason: 'address-disagreement', message }
}

function unconfirmed({ hostname }: ZonedTarget, type: RecordType): Problem {
  const message = `The ${type} record of ${hostname} was written, but the next read did not show it. Something else may have changed it.`
  return { reason: 'write-unconfirmed', message }
}
