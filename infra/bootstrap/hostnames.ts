import { ofType } from '../exported-state.ts'
import type { Send } from '../http.ts'
import { types } from '../resource-names.ts'
import { findAdoptionProblem, findCreationProblem, findHostProblem } from '../resources/existing-record.ts'
import { titleOf } from '../settings/readers/records.ts'
import type { Local } from './local.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, missing } = findingsOf('cloudflare')

/** Checks that the hostnames are in the zone, and free or to be adopted. @param send with the deploy token */
export async function checkNames(
  send: Send,
  { stack, plan: { zoneId, accountId, records, hosts } }: Local,
): Promise<readonly Finding[]> {
  if (zoneId === null) return []
  const inputsOf = (type: string) => (stack ? ofType(stack.state, type) : []).map(({ inputs }) => inputs)
  const known = inputsOf(types.record).map(({ name, type }) => `${name} ${type}`)
  const findings: Finding[] = []
  for (const record of records ?? []) {
    const title = titleOf(record)
    const { importId } = record
    if (known.includes(title)) {
      findings.push(ok(`The stack has the record ${title}.`))
      continue
    }
    const problem = importId
      ? await findAdoptionProblem(zoneId, importId, record, send)
      : await findCreationProblem(zoneId, record, records?.length === 1, send)
    const step = findingsOf(importId || problem?.isAdoptable ? 'stack' : 'cloudflare')
    findings.push(
      problem
        ? step.missing(problem.text, problem.fix)
        : ok(`The stack ${importId ? 'adopts' : 'creates'} the record ${title}.`),
    )
  }
  const domains = inputsOf(types.domain).map(({ hostname }) => hostname)
  for (const host of hosts) {
    if (accountId === null || domains.includes(host)) continue
    const problem = await findHostProblem({ zoneId, accountId, hostname: host }, send)
    if (problem) findings.push(missing(problem.text, problem.fix))
  }
  return findings
}
