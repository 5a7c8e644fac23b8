import { ofType } from '../../exported-state.ts'
import type { Send } from '../../http.ts'
import { types } from '../../resource-names.ts'
import { findCreationProblem, findHostProblem } from '../../resources/existing-record.ts'
import { readHostnames, titleOf } from '../../settings/readers/records.ts'
import type { Local } from './local.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, missing } = findingsOf('cloudflare')

/** Checks that the hostnames are in the zone, and free or to be adopted. @param send with the deploy token */
export async function checkNames(
  send: Send,
  { stack, plan }: Local,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  if (!plan.hasRecord || plan.zoneId === null) return []
  const given = readHostnames(env['HOMEPORT_HOSTNAME'] ?? '')
  const names = 'value' in given ? given.value : []
  const records =
    stack?.settings?.record?.plans ?? names.map(name => ({ name, type: 'A', importId: null }) as const)
  if (records.length === 0 && 'problems' in given)
    return given.problems.map(problem =>
      missing(`HOMEPORT_HOSTNAME ${problem}`, 'export HOMEPORT_HOSTNAME=home.example.com'),
    )
  const known = (stack ? ofType(stack.state, types.record) : []).map(
    ({ inputs }) => `${inputs['name']} ${inputs['type']}`,
  )
  const findings: Finding[] = []
  for (const record of records) {
    const title = titleOf(record)
    if (known.includes(title)) findings.push(ok(`The stack has the record ${title}.`))
    else if (record.importId) findings.push(ok(`The stack adopts the record ${title}.`))
    else {
      const problem = await findCreationProblem(plan.zoneId, record, records.length === 1, send)
      const step = problem?.exists ? findingsOf('stack') : findingsOf('cloudflare')
      findings.push(
        problem ? step.missing(problem.text, problem.fix) : ok(`The stack creates the record ${title}.`),
      )
    }
  }
  const { signIn, push } = stack?.settings ?? {}
  const domains = (stack ? ofType(stack.state, types.domain) : []).map(({ inputs }) => inputs['hostname'])
  for (const place of [signIn?.worker, push]) {
    if (!place || !stack?.settings || domains.includes(place.host)) continue
    const problem = await findHostProblem({ ...stack.settings, host: place.host }, send)
    if (problem) findings.push(missing(problem.text, problem.fix))
  }
  return findings
}
