import { createHash } from 'node:crypto'
import { fieldOf, listOf, textOf } from '../../json.ts'
import { shown } from '../../shown.ts'
import { types } from '../../stack-facts.ts'
import { findIn, type StackState, type StateResource } from '../../stack-state.ts'
import { type Read, readOne, resultOf, unread } from '../clients/cloudflare.ts'
import { differs, type Finding, ifRead, type ReadResult } from '../finding.ts'
import { jurisdictionDifferences } from '../jurisdiction.ts'
import { compareBindings, readBindings, type WantedBinding } from './bindings.ts'
import { pathPart } from './dns.ts'
import { type Field, fieldDifferences, gone, sorted } from './fields.ts'

const permission = 'Workers Scripts Read'

/** A Worker that the stack has, or will have. */
export interface ExpectedWorker {
  readonly serviceName: string
  readonly accountId: string
  /** In the state; null before the first run that uploaded it. */
  readonly script: StateResource | null
  readonly bindings: readonly WantedBinding[]
}

/**
 * Compares a Worker: its code, its settings, and its bindings with those that follow from the configuration, because in the
 * state they are one secret.
 */
export async function workerDifferences(
  { serviceName, accountId, script, bindings: wanted }: ExpectedWorker,
  read: Read,
): Promise<readonly Finding[]> {
  const subject = `The Worker ${serviceName}`
  const path = `/accounts/${accountId}/workers/scripts/${serviceName}`
  const answer = await read(`${path}/settings`)
  if (answer.status === 404) {
    return [differs(`There is no Worker ${serviceName}.`, 'Run pulumi up, which uploads it.')]
  }
  const known = resultOf(answer)
  const bindings: ReadResult<unknown> =
    known === null ? unread('the bindings of the Worker', answer, permission) : { value: known }
  return [
    ...ifRead(bindings, found => [
      ...compareBindings(serviceName, readBindings(found), wanted),
      ...fieldDifferences(subject, [
        ['logpush', fieldOf(found, 'logpush') ?? false, false],
        ['tail_consumers', tailConsumersOf(found), []],
        ...(script ? scriptFields(found, script) : []),
      ]),
    ]),
    ...(await subdomainDifferences(subject, path, read)),
    ...(script ? await changeDifferences(subject, { accountId, serviceName, script }, read) : []),
    ...(script ? ifRead(await readHash(read, path), hash => codeDifferences(subject, hash, script)) : []),
  ]
}

/** Names the Workers that get a copy of what another logs and of its requests. */
const tailConsumersOf = (found: unknown) =>
  sorted(listOf(fieldOf(found, 'tail_consumers')).map(one => fieldOf(one, 'service')))

/** Compares whether the Worker has addresses at workers.dev, beside those that the program declares. */
async function subdomainDifferences(subject: string, path: string, read: Read): Promise<readonly Finding[]> {
  return ifRead(await readOne(read, `${path}/subdomain`, 'the address at workers.dev', permission), found =>
    fieldDifferences(subject, [
      ['workers.dev', fieldOf(found, 'enabled') ?? false, false],
      ['preview URLs', fieldOf(found, 'previews_enabled') ?? false, false],
    ]),
  )
}

/** Reports a change after the last upload. With the same code and plain bindings, somebody replaced a secret. */
async function changeDifferences(
  subject: string,
  { accountId, serviceName, script }: { accountId: string; serviceName: string; script: StateResource },
  read: Read,
): Promise<readonly Finding[]> {
  const uploaded = textOf(script.outputs, 'modifiedOn')
  if (uploaded === null) return []
  const scripts = await readOne(read, `/accounts/${accountId}/workers/scripts`, 'the Workers', permission)
  return ifRead(scripts, found => {
    const one = listOf(found).find(candidate => fieldOf(candidate, 'id') === serviceName)
    const changed = textOf(one, 'modified_on')
    // The provider records whole seconds, and Cloudflare has microseconds (seen with cloudflare 5.22).
    if (changed === null || Date.parse(changed) - Date.parse(uploaded) < 1000) return []
    return [
      differs(
        `${subject} was changed at ${shown(changed)}, after the last run uploaded it at ${shown(uploaded)}. Where no other line names the change, somebody replaced a secret.`,
        'Find out who did. Who replaced SESSION_KEYS can sign in as anybody: replace sessionKeys, which every pulumi up that changes the Worker uploads.',
      ),
    ]
  })
}

function scriptFields(found: unknown, { inputs }: StateResource): readonly Field[] {
  return [
    ['compatibility_date', fieldOf(found, 'compatibility_date'), inputs['compatibilityDate']],
    ...leavesOf('observability', fieldOf(found, 'observability'), inputs['observability']),
  ]
}

/** Returns each declared leaf of a block. The service spells names in lower case with underscores. */
function leavesOf(name: string, found: unknown, declared: unknown): readonly Field[] {
  if (typeof declared !== 'object' || declared === null) return [[name, found, declared]]
  return Object.entries(declared).flatMap(([key, value]) => {
    const spelled = key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    return leavesOf(`${name}.${spelled}`, fieldOf(found, spelled), value)
  })
}

/** Reads the SHA-256 of the Worker's only module. */
async function readHash(read: Read, path: string): Promise<ReadResult<string>> {
  const answer = await read(`${path}/content/v2`, 'module')
  return answer.status === 200 && typeof answer.body === 'string'
    ? { value: createHash('sha256').update(answer.body).digest('hex') }
    : unread('the code of the Worker', answer, permission)
}

function codeDifferences(subject: string, hash: string, { inputs }: StateResource): readonly Finding[] {
  if (hash === inputs['contentSha256']) return []
  return [
    differs(
      `${subject} has other code than the last run uploaded.`,
      'It can read every secret that is bound to it. Find out who uploaded it, run pulumi up, and replace the secrets.',
    ),
  ]
}

/**
 * Compares the custom domain and the database.
 * @param jurisdiction what the configuration says of the database; null if nothing
 */
export async function servingDifferences(
  state: StackState,
  jurisdiction: string | null,
  read: Read,
): Promise<readonly Finding[]> {
  const [domain, database] = [findIn(state, types.domain), findIn(state, types.database)]
  const differences = await Promise.all([
    domain ? domainDifferences(domain, read) : [],
    database ? databaseDifferences(database, jurisdiction, read) : [],
  ])
  return differences.flat()
}

/** Compares a custom domain with what the state declares. */
export async function domainDifferences(
  { id, inputs }: StateResource,
  read: Read,
): Promise<readonly Finding[]> {
  const subject = `The custom domain ${String(inputs['hostname'])}`
  const path = `/accounts/${pathPart(inputs['accountId'])}/workers/domains/${pathPart(id)}`
  return ifRead(await readOne(read, path, 'the custom domain', permission), found =>
    found === null
      ? [gone(subject)]
      : fieldDifferences(subject, [
          ['hostname', fieldOf(found, 'hostname'), inputs['hostname']],
          ['service', fieldOf(found, 'service'), inputs['service']],
          ['zone_id', fieldOf(found, 'zone_id'), inputs['zoneId']],
        ]),
  )
}

async function databaseDifferences(
  { id, inputs }: StateResource,
  jurisdiction: string | null,
  read: Read,
): Promise<readonly Finding[]> {
  const path = `/accounts/${pathPart(inputs['accountId'])}/d1/database/${pathPart(id)}`
  return ifRead(await readOne(read, path, 'the database', 'D1 Read'), found =>
    found === null
      ? [
          gone(
            `The database ${String(id)}`,
            'The employees are gone with it. Run pulumi up, which creates an empty one, then npm run after-up, and import your backup.',
          ),
        ]
      : jurisdictionDifferences(String(id), textOf(found, 'jurisdiction'), jurisdiction),
  )
}
