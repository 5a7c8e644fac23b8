import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

let stage: Stage
let stack: Stack
beforeEach(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
})
afterEach(() => stage.close())

const tokensPath = () => `/accounts/${stage.services.at.accountId}/tokens`
/** The service does what it is asked, and the connection breaks before its answer arrives. */
const lost = (path: string) => ({
  match: { method: 'POST', path },
  commit: true,
  answer: { kind: 'reset' },
})

/** Returns the id in the line of `npm run drift` about one kind of thing. */
function reported(kind: string, output: string): string {
  const [, id] = new RegExp(`There is a ${kind} "([0-9a-f]{32})"`).exec(output) ?? []
  if (id === undefined) throw new Error(`npm run drift reports no ${kind}:\n${output}`)
  return id
}

test('a token whose creation was not answered is left over, is found by drift, and is deleted', async () => {
  const { services } = stage
  await services.setFaults(lost('/tokens$'))
  await stack.up()
  expect(await services.tokens()).toHaveLength(2)

  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  expect(red.output).toContain('one difference')
  const unknown = reported('token', red.output)
  expect(unknown).not.toBe(await stack.output('dnsTokenId'))
  await services.api('DELETE', `${tokensPath()}/${unknown}`)

  const green = await stack.drift()
  expect(green.output).toContain('No drift: stack dev is as declared.')
  expect(green.status).toBe(0)
  const list = `/zones/${services.at.zoneId}/dns_records`
  await expect(services.api('GET', list, undefined, await stack.output('dnsToken'))).resolves.toBeDefined()
})

test('a record whose creation was not answered stops every up, until it is adopted as drift says', async () => {
  const { services } = stage
  await services.setFaults(lost('/dns_records$'))
  expect((await stack.tryUp()).output).toContain('81058')
  expect((await stack.tryUp()).output.replace(/\s+/g, ' ')).toContain(`${hostname} already has an A record`)
  await services.api(
    'PATCH',
    `/zones/${services.at.zoneId}/dns_records/${(await services.record(hostname))?.id}`,
    {
      content: '203.0.113.9',
    },
  )

  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  const id = reported('record', red.output)
  expect(red.output).toContain(`pulumi config set --plaintext importRecordId ${id}, then pulumi up`)
  await stack.configure({ importRecordId: id })
  await stack.up()
  await stack.configure({ importRecordId: undefined })
  expect(await stack.output('recordId')).toBe(id)
  expect((await services.record(hostname))?.content).toBe('203.0.113.9')
  const green = await stack.drift()
  expect(green.output).toContain('No drift')
  expect(green.status).toBe(0)
})

test('a run that is killed in the middle of both is recovered by cancel, drift, up and drift', async () => {
  const { services } = stage
  const held = { kind: 'delay', byMs: 600_000 }
  const silent = { kind: 'stall', at: 'before-headers' }
  await services.setFaults(
    { match: { method: 'POST', path: '/tokens$' }, commit: true, answer: held },
    { match: { method: 'POST', path: '/dns_records$' }, commit: true, answer: held },
    // Nothing else is done: only these two answers are lost.
    { match: { method: 'POST', path: '/d1/database$' }, answer: silent },
    { match: { service: 'graph', method: 'POST', path: '/applications$' }, answer: silent },
    { match: { service: 'github', method: 'POST' }, times: null, answer: silent },
  )
  let pid = 0
  const killed = stage.pulumi(['up', '--yes', '--skip-preview', '--stack', stack.name], {}, started => {
    pid = started
  })
  const isCommitted = async () =>
    (await services.tokens()).length > 0 && (await services.record(hostname)) !== undefined
  await expect.poll(isCommitted, { timeout: 120_000, interval: 200 }).toBe(true)
  process.kill(pid, 'SIGKILL')
  await killed
  await services.setFaults()
  expect((await stack.tryUp()).output).toContain('locked')
  await stack.must(['cancel', '--yes'])

  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  const unknown = reported('token', red.output)
  expect(red.output).toMatch(
    /was killed while it was creating .*"dns-record".*pulumi refresh --clear-pending-creates/,
  )
  await stack.configure({ importRecordId: reported('record', red.output) })
  await stack.up()
  await stack.configure({ importRecordId: undefined })

  const still = await stack.drift()
  expect(reported('token', still.output)).toBe(unknown)
  await services.api('DELETE', `${tokensPath()}/${unknown}`)
  await stack.must(['refresh', '--clear-pending-creates', '--yes'])
  await stack.up()
  const green = await stack.drift()
  expect(green.output).toContain('No drift')
  expect(green.status).toBe(0)
  expect(await services.tokens()).toHaveLength(1)
})
