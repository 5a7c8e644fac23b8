import * as pulumi from '@pulumi/pulumi'
import { fieldOf } from '../json.ts'
import type { StackSettings } from '../settings/stack-settings.ts'
import { shown } from '../shown.ts'
import { recordArguments, types } from '../stack-facts.ts'

/** A resource as the last run left it in the state, also if that run failed. */
interface Own {
  readonly urn: string
  readonly outputs: unknown
}

/** The settings that import a resource, and the output that holds its id. */
const imports = [
  { key: 'importRecordId', noun: 'record', type: types.record, id: 'id' },
  { key: 'importDatabaseId', noun: 'database', type: types.database, id: 'uuid' },
] as const

/**
 * Refuses settings that would replace the record or the database, and so delete what people need: an id to import, where the
 * engine ignores `protect` (seen with 3.259.0), or another zone.
 * @throws RunError before anything is declared
 */
export async function refuseReplacements(settings: StackSettings): Promise<void> {
  const problems = await findReplacements(settings)
  if (problems.length > 0) throw new pulumi.RunError(`${problems.join(' ')} Nothing was changed.`)
}

async function findReplacements(settings: StackSettings): Promise<readonly string[]> {
  let state: (type: string) => Own | null
  try {
    state = await readOwnState()
  } catch (error) {
    const problem = `Cannot read the state to see what the stack has: ${shown(String(error))}.`
    const [set] = imports.filter(({ key }) => settings[key] !== null)
    if (set) return [`${set.key} is set. ${problem}`]
    // Without an import, `protect` keeps both.
    await pulumi.log.warn(problem)
    return []
  }
  const record = state(types.record)
  return [
    ...imports.flatMap(({ key, noun, type, id }) => {
      const own = state(type)
      const wanted = settings[key]
      return own === null || wanted === null ? [] : [importProblem(key, noun, wanted, own, id)]
    }),
    ...(record === null || settings.importRecordId !== null ? [] : moveProblems(settings, record)),
  ]
}

function importProblem(key: string, noun: string, wanted: string, { urn, outputs }: Own, id: string): string {
  const present = String(fieldOf(outputs, id))
  const remove = `pulumi config rm ${key}`
  return wanted === present
    ? `${key} is ${wanted}, which the stack already has. Remove it, because importing it again would delete the ${noun}: ${remove}.`
    : `${key} is ${wanted}, but the stack already has the ${noun} ${shown(present)}, which the import would delete. To keep that one, run ${remove}. If it no longer exists, run pulumi refresh first. To leave it to its owner and adopt the other one, run pulumi state delete --force '${urn}', then pulumi up.`
}

function moveProblems(settings: StackSettings, { urn, outputs }: Own): readonly string[] {
  const { zoneId, type } = recordArguments(settings)
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

/** Reads the state as the last run left it, without a call to a service. */
async function readOwnState(): Promise<(type: string) => Own | null> {
  const stackName = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join('/')
  // Outputs of the stack can be absent after a failed run, so a StackReference would miss what that run created.
  const answer: unknown = await pulumi.runtime.invoke('pulumi:pulumi:readStackResourceOutputs', { stackName })
  const resources = Object.entries(fieldOf(answer, 'outputs') ?? {})
  return type => {
    const found = resources.find(([, resource]) => fieldOf(resource, 'type') === type)
    return found ? { urn: found[0], outputs: fieldOf(found[1], 'outputs') } : null
  }
}
