import * as pulumi from '@pulumi/pulumi'
import { fieldOf } from '../json.ts'
import { Refusal } from '../program.ts'
import { daysAfter } from '../settings/readers.ts'
import { type RecordPlan, titleOf } from '../settings/records.ts'
import type { SignInSettings } from '../settings/sign-in-settings.ts'
import type { StackSettings } from '../settings/stack-settings.ts'
import { shown } from '../shown.ts'
import { clientSecretName, recordNameOf, types } from '../stack-facts.ts'
import { readState } from '../stack-state.ts'

/** A resource as the last run left it in the state, even if that run failed. */
interface Own {
  readonly urn: string
  /** Name in the program. */
  readonly name: string
  readonly type: string
  readonly outputs: unknown
}

/** A record to declare, with its name in the program. */
interface Planned extends RecordPlan {
  readonly logicalName: string
}

/** The component of the records, as `index.ts` names it. */
const component = 'dns'

/**
 * Refuses settings that would delete what people need: an id to import, where the engine ignores `protect` (seen with
 * 3.259.0), another zone, or a record that is no longer declared, which `protect` alone would only report with the advice to
 * give it up.
 * @throws RunError before anything is declared
 */
export async function refuseLosses(settings: StackSettings): Promise<void> {
  const problems = await findLosses(settings)
  if (problems.length > 0) throw new pulumi.RunError(`${problems.join(' ')} Nothing was changed.`)
}

async function findLosses(settings: StackSettings): Promise<readonly string[]> {
  const { record, signIn } = settings
  const planned = (record?.plans ?? []).map(
    (plan, index): Planned => ({ ...plan, logicalName: recordNameOf(component, plan, index) }),
  )
  const importDatabaseId = signIn?.worker?.importDatabaseId ?? null
  let state: readonly Own[]
  try {
    state = await readOwnState()
  } catch (error) {
    const problem = `Cannot read the state to see what the stack has: ${shown(String(error))}.`
    const key = planned.some(({ importId }) => importId !== null) ? 'importRecordId' : 'importDatabaseId'
    if (key === 'importRecordId' || importDatabaseId !== null) return [`${key} is set. ${problem}`]
    // Without an import, `protect` keeps records and database.
    await pulumi.log.warn(problem)
    return []
  }
  const records = state.filter(({ type }) => type === types.record)
  const database = state.find(({ type }) => type === types.database) ?? null
  return [
    ...(database === null || signIn?.worker ? [] : await leavingProblems(database)),
    ...(signIn === null ? [] : secretProblems(signIn.clientSecrets, state, Date.now())),
    ...(record === null ? [] : recordProblems(record.zoneId, planned, records)),
    ...droppedProblems(planned, records),
    ...(database === null || importDatabaseId === null
      ? []
      : importProblem('importDatabaseId', 'database', importDatabaseId, database, 'uuid')),
  ]
}

function recordProblems(
  zoneId: string,
  planned: readonly Planned[],
  records: readonly Own[],
): readonly string[] {
  return planned.flatMap(plan => {
    const { logicalName, importId } = plan
    const own = records.find(({ name }) => name === logicalName)
    if (own === undefined)
      return importId === null ? renameProblems(plan, planned, records) : adoptedTwice(importId, records)
    if (importId !== null) return importProblem('importRecordId', 'record', importId, own, 'id')
    return orderProblems(plan, own, planned, records) ?? moveProblems(zoneId, plan, own)
  })
}

function importProblem(
  key: string,
  noun: string,
  wanted: string,
  { urn, outputs }: Own,
  id: string,
): readonly string[] {
  const present = String(fieldOf(outputs, id))
  const remove = `pulumi config rm ${key}`
  return [
    wanted === present
      ? `${key} is ${wanted}, which the stack already has. Remove it, because importing it again would delete the ${noun}: ${remove}.`
      : `${key} is ${wanted}, but the stack already has the ${noun} ${shown(present)}, which the import would delete. To keep that one, run ${remove}. If it no longer exists, run pulumi refresh first. To leave it to its owner and adopt the other one, run pulumi state delete --force '${urn}', then pulumi up.`,
  ]
}

function adoptedTwice(id: string, records: readonly Own[]): readonly string[] {
  const other = records.find(({ outputs }) => fieldOf(outputs, 'id') === id)
  return other === undefined
    ? []
    : [
        `importRecordId adopts ${id}, which the stack already has as ${ownTitle(other)}. Remove that line: one record has one place in the state.`,
      ]
}

const ownTitle = ({ outputs }: Own): string =>
  shown(`${String(fieldOf(outputs, 'name'))} ${String(fieldOf(outputs, 'type'))}`)

const isOf = ({ name, type }: RecordPlan, { outputs }: Own): boolean =>
  fieldOf(outputs, 'name') === name && fieldOf(outputs, 'type') === type

/** Finds a record of the state that is to be the first one, now that the first is gone. Adopting it would refuse it. */
function renameProblems(
  plan: Planned,
  planned: readonly Planned[],
  records: readonly Own[],
): readonly string[] {
  const other = records.find(own => isOf(plan, own) && !planned.some(one => one.logicalName === own.name))
  return other === undefined
    ? []
    : [
        `The stack has ${titleOf(plan)}, but not as its first record, which is gone. Run pulumi state rename '${other.urn}' ${plan.logicalName}, then pulumi up.`,
      ]
}

/** Keeps the first record the first: its logical name does not say which one it is. Returns null if the order is right. */
function orderProblems(
  plan: Planned,
  own: Own,
  planned: readonly Planned[],
  records: readonly Own[],
): readonly string[] | null {
  if (isOf(plan, own)) return null
  const moved = planned.find(other => isOf(other, own))
  if (moved !== undefined) {
    const fix =
      moved.name === plan.name
        ? `List that type first: pulumi config set --plaintext recordType ${moved.type},${plan.type}`
        : 'List that hostname first.'
    return [
      `The configuration lists ${titleOf(plan)} first, but the stack's first record is ${ownTitle(own)}, which the run would rename. ${fix}`,
    ]
  }
  const other = records.find(one => one !== own && isOf(plan, one))
  if (other === undefined) return null
  return [
    `The configuration no longer lists ${ownTitle(own)}, the stack's first record, so the run would rename it to one that exists. To leave it as it is, run pulumi state delete --force '${own.urn}', then pulumi state rename '${other.urn}' ${own.name}, then pulumi up. Remove the old one yourself when nothing needs it.`,
  ]
}

function moveProblems(
  zoneId: string,
  { type }: Pick<RecordPlan, 'type'>,
  { urn, outputs }: Own,
): readonly string[] {
  const id = shown(String(fieldOf(outputs, 'id')))
  const live = { zoneId: fieldOf(outputs, 'zoneId'), type: fieldOf(outputs, 'type') }
  const changed = [
    ...(zoneId === live.zoneId
      ? []
      : [`zoneId is ${zoneId}, but it is in zone ${shown(String(live.zoneId))}`]),
    ...(type === live.type ? [] : [`the type is ${type}, but it has the type ${shown(String(live.type))}`]),
  ]
  if (changed.length === 0) return []
  return [
    `For the record ${id}, ${changed.join(', and ')}. The change would delete it with its live address. To leave it as it is and create one there, run pulumi state delete --force '${urn}', then pulumi up. Remove the old one yourself when nothing needs it.`,
  ]
}

/** Finds records of the state that the configuration does not declare, unless they are the first one, see `orderProblems`. */
function droppedProblems(planned: readonly Planned[], records: readonly Own[]): readonly string[] {
  const [first] = planned
  return records
    .filter(own => !planned.some(({ logicalName }) => logicalName === own.name))
    .filter(own => first === undefined || !isOf(first, own))
    .map(
      own =>
        `The stack has the record ${ownTitle(own)}, which the configuration no longer declares. The run would delete it with its live address. To leave it as it is, run pulumi state delete --force '${own.urn}', then pulumi up. Remove it yourself when nothing needs it.`,
    )
}

/**
 * Keeps the employees until somebody ends the protection by hand. The engine would refuse only the database, after it has
 * deleted the Worker and its domain (seen with 3.259.0).
 */
async function leavingProblems({ urn, outputs }: Own): Promise<readonly string[]> {
  let isProtected = true
  let unread = ''
  try {
    const { resources } = await readState(stackName())
    isProtected = resources.some(one => one.urn === urn && one.protect)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    unread = ` Whether it is protected could not be read: ${error.message}`
  }
  if (!isProtected) return []
  return [
    `The stack has the employee database ${shown(String(fieldOf(outputs, 'uuid')))}, which signIn no longer uses, so the run would delete it with the Worker. First export the employees, then end the protection (pulumi state unprotect '${urn}'), as docs/infrastructure.md says under "Leave the Worker". To keep the Worker: pulumi config set --plaintext signIn worker.${unread}`,
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
  const passwords = plans.flatMap(({ slot, rotatedOn, endsOn }) => {
    const own = state.find(one => one.type === types.password && one.name === clientSecretName(slot))
    if (own === undefined) return []
    const present = {
      rotatedOn: String(fieldOf(fieldOf(own.outputs, 'rotateWhenChanged'), 'rotatedOn')),
      endsOn: Date.parse(String(fieldOf(own.outputs, 'endDate'))),
    }
    const isRotated = present.rotatedOn !== rotatedOn
    return [{ slot, ...present, isRotated, isReplaced: isRotated || present.endsOn !== Date.parse(endsOn) }]
  })
  const kept = passwords.toSorted((one, other) => other.endsOn - one.endsOn)[0]
  if (kept === undefined || passwords.length < plans.length || kept.endsOn <= now) return []
  if (!passwords.every(({ isReplaced }) => isReplaced)) return []
  const days = Math.round((kept.endsOn - Date.parse(kept.rotatedOn)) / daysAfter(0, 1))
  const fix = passwords.every(({ isRotated }) => isRotated)
    ? `secretRotation${kept.slot.toUpperCase()} ${shown(kept.rotatedOn).slice(1, -1)}`
    : `secretLifetimeDays ${days}`
  return [
    `The run would replace both client secrets and delete those that a handler still uses. Replace one: pulumi config set --plaintext ${fix}. Once the new one is in use, replace the other, as docs/bootstrap.md says under "Rotate credentials".`,
  ]
}

const stackName = (): string => [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join('/')

/** Reads the state as the last run left it, without a call to a service. */
async function readOwnState(): Promise<readonly Own[]> {
  // Outputs of the stack can be absent after a failed run, so a StackReference would miss what that run created.
  const answer: unknown = await pulumi.runtime.invoke('pulumi:pulumi:readStackResourceOutputs', {
    stackName: stackName(),
  })
  const resources = Object.entries(fieldOf(answer, 'outputs') ?? {})
  return resources.map(([urn, resource]) => ({
    urn,
    name: urn.split('::').slice(3).join('::'),
    type: String(fieldOf(resource, 'type')),
    outputs: fieldOf(resource, 'outputs'),
  }))
}
