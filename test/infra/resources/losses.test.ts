import { expect, it } from 'vitest'
import { types } from '../../../infra/resource-names.ts'
import type { Properties } from '../../../sandbox/pulumi/properties.ts'
import { daysAgo, minimalConfig } from '../../support/configuration.ts'
import { emulatedCli } from '../support/commands.ts'
import { exported } from '../support/exported.ts'
import { runStack, type StackOptions } from '../support/stacks.ts'

/** A resource of the last run, by its name in the program. */
type Own = readonly [type: string, name: string, outputs: Properties]

const zoneId = minimalConfig['zoneId'] ?? ''
const record = (logicalName: string, name: string, type = 'A'): Own => [
  types.record,
  logicalName,
  { id: logicalName.padEnd(32, '0'), name, type, zoneId },
]
const first = record('dns-record', 'home.example.com')
const second = record('dns-record-wiki.example.com-a', 'wiki.example.com')
const database: Own = [types.database, 'handler-database', { uuid: 'u' }]
const secret = (slot: string, days: number): Own => [
  types.password,
  `sign-in-secret-${slot}`,
  { rotateWhenChanged: { rotatedOn: daysAgo(days) }, endDate: `${daysAgo(days - 180)}T00:00:00Z` },
]

/** Runs the program with changes to the minimal configuration, and what the last run left. Returns it with its messages. */
async function runWith(state: readonly Own[], config: StackOptions['config'] = {}, isProtected = true) {
  const kept = exported([{ type: database[0], name: database[1], protect: isProtected }])
  const run = await runStack({
    config,
    readState: () =>
      Object.fromEntries(
        state.map(([type, name, outputs]) => [
          `urn:pulumi:dev::homeport::${type}::${name}`,
          { type, outputs },
        ]),
      ),
    environment: { PATH: emulatedCli, ANSWER_STATE: kept },
  })
  return { ...run, said: run.log.map(({ message }) => message).join('\n') }
}

const both = 'home.example.com,wiki.example.com'
const onHost = { signIn: 'host', publicOrigin: 'https://home.example.com', accountId: null }

it.each<[string, readonly Own[], StackOptions['config'], RegExp]>([
  [
    'names another first host',
    [first],
    { hostname: 'wiki.example.com,home.example.com' },
    /lists wiki\.example\.com A first, but the stack's first record is "home\.example\.com A".* List that hostname first/,
  ],
  [
    'names another first type',
    [first],
    { recordType: 'AAAA,A' },
    /List that type first: pulumi config set --plaintext recordType A,AAAA/,
  ],
  [
    'no longer lists a record',
    [first, second],
    {},
    /has the record "wiki\.example\.com A", which the configuration no longer declares.*pulumi state delete --force '\S+wiki/,
  ],
  ['has no records', [first], { record: 'false' }, /has the record "home\.example\.com A", which the conf/],
  [
    'no longer lists the first record, but the second',
    [first, second],
    { hostname: 'wiki.example.com' },
    /no longer lists "home\.example\.com A".*pulumi state delete --force '\S+::dns-record'.*pulumi state rename '\S+wiki\.example\.com-a' dns-record,/,
  ],
  [
    'lists a record first that is not the first one of the state',
    [second],
    { hostname: 'wiki.example.com' },
    /has wiki\.example\.com A, but not as its first record.*pulumi state rename '\S+wiki\.example\.com-a' dns-record,/,
  ],
  [
    'has another zone',
    [first],
    { zoneId: 'f'.repeat(32) },
    /For the record "dns-record0+", zoneId is f{32}.*pulumi state delete --force/,
  ],
  [
    'has another type',
    [first],
    { recordType: 'AAAA' },
    /the type is AAAA, but it has the type "A": the change/,
  ],
  [
    'imports another record over the own one',
    [first],
    { importRecordId: 'a'.repeat(32) },
    /already has the record "dns-record0+", which the import would delete.*pulumi state delete --force/,
  ],
  [
    'imports a record that the stack has',
    [[types.record, 'dns-record', { id: 'a'.repeat(32) }]],
    { importRecordId: 'a'.repeat(32) },
    /importRecordId is a{32}, which the stack already has as .* pulumi config rm importRecordId/,
  ],
  [
    'leaves the Worker while its database is protected',
    [database],
    onHost,
    /First save the employees, then run pulumi state unprotect '\S+handler-database'.*#leave-the-worker/,
  ],
  [
    'replaces both client secrets',
    [secret('a', 50), secret('b', 70)],
    {},
    new RegExp(`Replace one: pulumi config set --plaintext secretRotationA ${daysAgo(50)}`),
  ],
])('up is refused before anything is declared if the configuration %s', async (_, state, config, message) => {
  const { succeeded, said, graph } = await runWith(state, config)
  expect(said).toMatch(message)
  expect(succeeded).toBe(false)
  expect(graph.resources.filter(({ custom }) => custom)).toEqual([])
})

it.each<[string, readonly Own[], StackOptions['config'], boolean]>([
  ['what the last run left', [first, second, database], { hostname: both }, true],
  ['one client secret', [secret('a', 10), secret('b', 70)], {}, true],
  ['nothing but the database, which nobody protects any more', [database], onHost, false],
])('up may change %s', async (_, state, config, isProtected) => {
  expect(await runWith(state, config, isProtected)).toMatchObject({ succeeded: true, said: '' })
})
