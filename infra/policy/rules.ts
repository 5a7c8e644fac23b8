import { onlyDeclared } from './declared-rules.ts'
import {
  domainReplacedFirst,
  hostsDistinct,
  sameRedirects,
  workerLogs,
  workerSecrets,
  workerUpload,
} from './handler-rules.ts'
import { databaseKept, workerKept } from './kept-rules.ts'
import { pushBindingsExact } from './push-rules.ts'
import { recordOwnership, recordShape } from './record-rules.ts'
import { registrationInputs, registrationNarrow, registrationRedirects } from './registration-rules.ts'
import { concerns, type Declared, type ResourceRule, type StackRule } from './rule.ts'
import { mintingProviderIsolated, rotatesWithoutGap, tokenLeastPrivilege, tokenZone } from './token-rules.ts'

export const resourceRules: readonly ResourceRule[] = [
  onlyDeclared,
  recordShape,
  recordOwnership,
  tokenLeastPrivilege,
  rotatesWithoutGap,
  registrationRedirects,
  registrationNarrow,
  registrationInputs,
  databaseKept,
  workerSecrets,
  workerLogs,
  workerUpload,
  workerKept,
  pushBindingsExact,
  domainReplacedFirst,
]

export const stackRules: readonly StackRule[] = [
  mintingProviderIsolated,
  tokenZone,
  hostsDistinct,
  sameRedirects,
]

/** A broken rule, reported as `record-shape: dns-record has the ttl 1. Declare ttl: 120.` */
export interface BrokenRule {
  readonly rule: string
  readonly resource: string
  readonly message: string
}

/** Checks a whole graph against every rule. */
export function judge(resources: readonly Declared[]): readonly BrokenRule[] {
  const single = resourceRules.flatMap(rule =>
    resources
      .filter(({ type }) => concerns(rule, type))
      .flatMap(resource =>
        rule.check(resource).map(message => ({ rule: rule.name, resource: resource.name, message })),
      ),
  )
  const whole = stackRules.flatMap(rule =>
    rule
      .check(resources)
      .map(({ resource, message }) => ({ rule: rule.name, resource: resource.name, message })),
  )
  return [...single, ...whole]
}
