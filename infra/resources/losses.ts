import * as pulumi from '@pulumi/pulumi'
import { CommandError } from '../../lib/command.ts'
import { quoteValue } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { readState } from '../exported-state.ts'
import { connectCloudflare } from '../http.ts'
import { fieldOf, valueAt } from '../json.ts'
import { certificateName, clientSecretName, recordNameOf, types } from '../resource-names.ts'
import { titleOf } from '../settings/readers/records.ts'
import type { RecordPlan, SignInSettings, StackSettings } from '../settings/stack-settings.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { findAdoptionProblem } from './existing-record.ts'
import { type Own, stackName } from './own-state.ts'

/** A record to declare, with its name in the program. */
interface Planned extends RecordPlan {
  readonly logicalName: string
}

/**
 * Refuses settings that would make the run delete something in use. `protect` is not enough: the engine ignores it for an
 * import, and in other cases stops only after it has deleted other resources (seen with 3.259.0).
 * @param own the state as the last run left it
 * @throws RunError before anything is declared
 */
export async function refuseLosses(settings: StackSettings, own: Reading<readonly Own[]>): Promise<void> {
  const problems = await findLosses(settings, own)
  if (problems.length > 0) throw new pulumi.RunError(`${problems.join(' ')} Nothing was changed.`)
}

async function findLosses(
  { zoneId, record, signIn }: StackSettings,
  own: Reading<readonly Own[]>,
): Promise<readonly string[]> {
  const planned = (record?.plans ?? []).map(
    (plan, index): Planned => ({ ...plan, logicalName: recordNameOf('dns', plan, index) }),
  )
  if ('problem' in own) {
    if (planned.some(({ importId }) => importId !== null)) return [`importRecordId is set. ${own.problem}`]
    // Without an import, `protect` keeps records and database.
    await pulumi.log.warn(own.problem)
    return []
  }
  const state = own.value
  const records = state.filter(({ type }) => type === types.record)
  const database = state.find(({ type }) => type === types.database)
  return [
    ...(database === undefined || signIn?.worker ? [] : await leavingProblems(database)),
    ...(signIn === null ? [] : secretProblems(signIn.clientSecrets, state, Date.now())),
    ...(signIn === null ? [] : changeoverProblems(signIn, state, Date.now())),
    ...recordProblems(zoneId, planned, records).map(problem => `${problem} See docs/stack.md#errors.`),
    ...(await adoptionProblems(zoneId, planned)),
  ]
}

/** Finds records to adopt that have another name or type. Without a token, the provider refuses the run. */
async function adoptionProblems(zoneId: string, planned: readonly Planned[]): Promise<readonly string[]> {
  const access = defaultAccess()
  if (access.apiToken === null) return []
  const send = connectCloudflare(access)
  const problems = await Promise.all(
    planned.map(plan => plan.importId && findAdoptionProblem(zoneId, plan.importId, plan, send)),
  )
  return problems.flatMap(problem => (problem ? [`${problem.text} ${problem.fix}`] : []))
}

const idOf = ({ outputs }: Own): string => String(fieldOf(outputs, 'id'))
const titleOfOwn = ({ outputs }: Own): string =>
  quoteValue(`${String(fieldOf(outputs, 'name'))} ${String(fieldOf(outputs, 'type'))}`)
const isOf = ({ name, type }: RecordPlan, { outputs }: Own): boolean =>
  fieldOf(outputs, 'name') === name && fieldOf(outputs, 'type') === type
/** Takes a resource out of the state, and leaves it alone at Cloudflare or Entra. */
const release = ({ urn }: Own): string => `run pulumi state delete --force '${urn}'`

/**
 * Finds records of the state that the run would delete or rename. Only the first one can be renamed: its logical name does not say which
 * one it is.
 */
function recordProblems(
  zoneId: string,
  planned: readonly Planned[],
  records: readonly Own[],
): readonly string[] {
  const undeclared = records.filter(own => !planned.some(({ logicalName }) => logicalName === own.name))

  /** An import over a record of the state deletes that record, even if it is the same one. */
  function importProblem(id: string, own: Own | undefined): string | null {
    const same = records.find(one => idOf(one) === id)
    if (same !== undefined)
      return `importRecordId is ${id}, which the stack already has as ${titleOfOwn(same)}, and importing it again would delete it. Remove the key or its line: pulumi config rm importRecordId.`
    return own
      ? `importRecordId is ${id}, but the stack already has the record ${quoteValue(idOf(own))}, which the import would delete. To keep that one, run pulumi config rm importRecordId. To adopt the other one, ${release(own)}, then pulumi up.`
      : null
  }

  function problemOf(plan: Planned): string | null {
    const own = records.find(({ name }) => name === plan.logicalName)
    if (plan.importId !== null) return importProblem(plan.importId, own)
    // It is to be the first one. Adopting it instead would be refused.
    const moved = undeclared.find(one => isOf(plan, one))
    if (own === undefined)
      return moved
        ? `The stack has ${titleOf(plan)}, but not as its first record, which is gone. Run pulumi state rename '${moved.urn}' ${plan.logicalName}, then pulumi up.`
        : null
    if (isOf(plan, own)) return moveProblem(zoneId, plan, own)
    const listed = planned.find(one => isOf(one, own))
    if (listed !== undefined) {
      const fix =
        listed.name === plan.name
          ? `List that type first: pulumi config set --plaintext recordType ${listed.type},${plan.type}`
          : 'List that hostname first'
      return `The configuration lists ${titleOf(plan)} first, but the stack's first record is ${titleOfOwn(own)}, which the run would rename. ${fix}.`
    }
    return moved
      ? `The configuration no longer lists ${titleOfOwn(own)}, the stack's first record, so the run would rename it to one that exists. To leave it as it is, ${release(own)}, then pulumi state rename '${moved.urn}' ${own.name}, then pulumi up.`
      : moveProblem(zoneId, plan, own)
  }

  const dropped = undeclared
    .filter(own => planned[0] === undefined || !isOf(planned[0], own))
    .map(
      own =>
        `The stack has the record ${titleOfOwn(own)}, which the configuration no longer declares, so the run would delete it with its live address. To leave it as it is, ${release(own)}, then pulumi up.`,
    )
  return [...planned.flatMap(plan => problemOf(plan) ?? []), ...dropped]
}

/** Finds a record that another zone or type would delete, with its live address. */
function moveProblem(zoneId: string, { type }: RecordPlan, own: Own): string | null {
  const [liveZone = '', liveType = ''] = ['zoneId', 'type'].map(name => String(fieldOf(own.outputs, name)))
  if (zoneId === liveZone && type === liveType) return null
  const changed =
    zoneId === liveZone
      ? `the type is ${type}, but it has the type ${quoteValue(liveType)}`
      : `zoneId is ${zoneId}, but it is in zone ${quoteValue(liveZone)}`
  return `For the record ${quoteValue(idOf(own))}, ${changed}: the change would delete it with its live address. If that is a mistake, set the key back. To leave it as it is and create one there, ${release(own)}, then pulumi up.`
}

/** Keeps the employees until somebody ends the protection by hand. */
async function leavingProblems({ urn, outputs }: Own): Promise<readonly string[]> {
  let isProtected = true
  let unread = ''
  try {
    const { resources } = await readState(stackName())
    isProtected = resources.some(one => one.urn === urn && one.protect)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    unread = ` Whether it is protected could not be read: ${error.message}`
  }
  if (!isProtected) return []
  return [
    `The stack has the employee database ${quoteValue(String(fieldOf(outputs, 'uuid')))}, which signIn no longer uses, so the run would delete it with the Worker. First save the employees, then run pulumi state unprotect '${urn}', as docs/operate.md#leave-the-worker says. To keep the Worker: pulumi config set --plaintext signIn worker.${unread}`,
  ]
}

/**
 * Keeps one of the client secrets that a handler uses. Once both have expired, none of them is in use.
 * @param plans as declared
 * @param now milliseconds since 1970
 */
function secretProblems(
  plans: SignInSettings['clientSecrets'],
  state: readonly Own[],
  now: number,
): readonly string[] {
  const present = plans.flatMap(({ slot, rotatedOn, endsOn }) => {
    const own = state.find(one => one.type === types.password && one.name === clientSecretName(slot))
    if (own === undefined) return []
    const createdOn = String(valueAt(own.outputs, 'rotateWhenChanged.rotatedOn'))
    const endsAt = Date.parse(String(fieldOf(own.outputs, 'endDate')))
    const isRotated = createdOn !== rotatedOn
    // A different expiry alone replaces a secret, too, such as that of a version with another lifetime.
    return [
      { own, slot, createdOn, endsAt, isRotated, isReplaced: isRotated || endsAt !== Date.parse(endsOn) },
    ]
  })
  const kept = present.toSorted((one, other) => other.endsAt - one.endsAt)[0]
  if (kept === undefined || present.length < plans.length || kept.endsAt <= now) return []
  if (!present.every(({ isReplaced }) => isReplaced)) return []
  const fix = kept.isRotated
    ? `Replace one: pulumi config set --plaintext secretRotation${kept.slot.toUpperCase()} ${quoteValue(kept.createdOn).slice(1, -1)}`
    : `To leave one valid until it expires, ${release(kept.own)}`
  return [
    `The run would replace both client secrets and delete those that a handler still uses. ${fix}, then pulumi up. See docs/operate.md#rotate-credentials-of-a-stack.`,
  ]
}

/**
 * Refuses to delete every credential that a handler uses. The state does not show the tokens of a host's platform.
 * @param now milliseconds since 1970
 */
function changeoverProblems(
  { credential, clientSecrets, certificates }: SignInSettings,
  state: readonly Own[],
  now: number,
): readonly string[] {
  const declared = [
    ...clientSecrets.map(({ slot }) => clientSecretName(slot)),
    ...certificates.map(({ der }) => certificateName(der)),
  ]
  const used = state.filter(
    ({ type, outputs }) =>
      (type === types.password || type === types.certificate) &&
      Date.parse(String(fieldOf(outputs, 'endDate'))) > now,
  )
  if (credential === 'federated' || used.length === 0 || used.some(({ name }) => declared.includes(name)))
    return []
  return [
    'The run would delete every credential that a handler still uses. Keep one for a run: credential secret beside clientCertificate, or the new certificate as clientCertificateNext. See docs/operate.md#a-certificate-in-place-of-secrets.',
  ]
}
