import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { killUp } from '../support/engine/deployed.ts'
import { publicOrigin, type Stack, Stage } from '../support/engine/stack.ts'
import { timeLimit } from '../support/time-limit.ts'

let stage: Stage
let stack: Stack
let variablesExist = false
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
  variablesExist = false
})
afterEach(() => stage.close())

/** Every request by which a first `up` creates something, as in the journal. An upload of the Worker and a domain are PUTs. */
const creations = {
  token: { match: { method: 'POST', path: '/tokens$' } },
  record: { match: { method: 'POST', path: '/dns_records$' } },
  database: { match: { method: 'POST', path: '/d1/database$' } },
  registration: { match: { service: 'graph', method: 'POST', path: '/applications$' } },
  principal: { match: { service: 'graph', method: 'POST', path: '/servicePrincipals$' } },
  secrets: { match: { service: 'graph', method: 'POST', path: '/addPassword$' }, times: 2 },
  variables: { match: { service: 'github', method: 'POST', path: '/variables$' }, times: 2 },
} as const

/** What `npm run drift` says that a creation left behind. */
const leftovers = ['token', 'record', 'database', 'registration', 'service principal', 'client secret']

/** Runs each command in the lines of `npm run drift`. Returns what they reported as left over. */
async function follow(report: string): Promise<readonly string[]> {
  const { services } = stage
  const objectPath = (clientId = '') => `/applications/${services.applicationOf(clientId).id}`
  const commands = (form: RegExp) => [...report.matchAll(form)].map(([, ...parts]) => parts.map(String))
  for (const [clientId] of commands(/az ad app delete --id ([0-9a-f-]{36})/g))
    await services.graph('DELETE', objectPath(clientId))
  for (const [id] of commands(/az ad sp delete --id ([0-9a-f-]{36})/g))
    await services.graph('DELETE', `/servicePrincipals/${id}`)
  for (const [clientId, keyId] of commands(
    /az ad app credential delete --id ([0-9a-f-]{36}) --key-id ([0-9a-f-]{36})/g,
  ))
    await services.graph('POST', `${objectPath(clientId)}/removePassword`, { keyId })
  for (const [id] of commands(/There is a token "([0-9a-f]{32})"/g))
    await services.api('DELETE', `/accounts/${services.at.accountId}/tokens/${id}`)
  for (const [type = '', name = '', id = ''] of commands(
    /pulumi import (\S+) (\S+) (\S+) --generate-code=false/g,
  ))
    await stack.must(['import', type, name, id, '--generate-code=false', '--yes'])
  const keys = commands(/pulumi config set --plaintext (import\w+) ([0-9a-f-]+), then pulumi up/g)
  await stack.configure(Object.fromEntries(keys.map(([key, value]) => [key, value])))
  if (report.includes('pulumi refresh --clear-pending-creates'))
    await stack.must(['refresh', '--clear-pending-creates', '--yes'])
  // docs/stack.md, for `409 Already exists - Variable already exists`.
  if (variablesExist) services.deleteVariables()
  const again = await stack.tryUp('--continue-on-error')
  variablesExist = again.output.includes('Variable already exists')
  if (keys.length > 0) {
    await stack.configure(Object.fromEntries(keys.map(([key]) => [key, undefined])))
  }
  return leftovers.filter(kind => new RegExp(`There is a ${kind} "`).test(report))
}

/** Follows the lines of `npm run drift` until there is no difference. Returns every kind of leftover that it reported. */
async function recover(): Promise<ReadonlySet<string>> {
  const reported = new Set<string>()
  for (let round = 0; round < 9; round += 1) {
    const { status, output } = await stack.drift()
    if (status === 0) return reported
    for (const kind of await follow(output)) reported.add(kind)
  }
  throw new Error(`npm run drift stays red:\n${(await stack.drift()).output}`)
}

/** Checks that each thing exists once, and that everything works. */
async function expectWhole(): Promise<void> {
  const { services } = stage
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(await services.writes()).toEqual([])
  expect(await services.tokens()).toHaveLength(1)
  expect(services.registration().passwords).toHaveLength(2)
  expect(services.state.entra.servicePrincipals).toHaveLength(1)
  expect(await services.api('GET', `/accounts/${services.at.accountId}/d1/database`)).toHaveLength(1)
  expect(services.token).toBe(await stack.output('dnsToken'))
  expect(await services.redeem(publicOrigin)).toEqual([400])
}

it(
  'after every creation lost its answer, the lines of drift lead to a whole stack',
  async () => {
    const reset = { kind: 'reset' } as const
    const faults = Object.values(creations).map(creation => ({ ...creation, commit: true, answer: reset }))
    stage.services.sandbox.control.setFaults(faults)
    const first = await stack.tryUp('--continue-on-error')
    expect(first.status, first.output).not.toBe(0)
    expect(first.output).toMatch(/81058/)
    expect(first.output).toMatch(/7502/)
    variablesExist = first.output.includes('Variable already exists')
    expect([...(await recover())].toSorted()).toEqual(leftovers.toSorted())
    await expectWhole()
  },
  timeLimit(900_000),
)

/** Kills an `up` as soon as the given creations have taken effect, before any is answered. */
async function killAt(...names: readonly (keyof typeof creations)[]): Promise<void> {
  const { services } = stage
  const held = { kind: 'delay', byMs: 600_000 } as const
  const silent = { kind: 'stall' } as const
  services.sandbox.control.setFaults([
    ...names.map(name => ({ ...creations[name], commit: true, answer: held })),
    // Nothing else is created.
    ...Object.values(creations).map(({ match }) => ({ match, times: null, answer: silent })),
  ])
  await killUp(stack, () => {
    const writes = services.writes()
    return names.every(name => writes.some(write => new RegExp(creations[name].match.path).test(write)))
  })
  expect((await stack.tryUp()).output).toContain('locked')
  // A preview takes no lock, so a deployment does not stop the nightly run.
  expect((await stack.run(['preview'])).output).not.toContain('locked')
  await stack.must(['cancel', '--yes'])
}

it(
  'after a run that was killed at its first creations, the lines of drift lead to a whole stack',
  async () => {
    await killAt('token', 'record', 'database', 'registration')
    const first = await recover()
    expect([...first].toSorted()).toEqual(['database', 'record', 'registration', 'token'])
    await expectWhole()
  },
  timeLimit(900_000),
)
