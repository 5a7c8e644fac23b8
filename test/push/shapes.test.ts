import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from '../support/stage.ts'
import { first, home, hostLine, ipv6, password, second, startEndpoint } from './endpoint.ts'
import { shapes } from './shapes.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

it.each(shapes)('%s keeps a record', async (_, query, options) => {
  await stage.setRecords({ content: first }, { type: 'AAAA', content: ipv6 })
  const settings = { HOSTS: await hostLine(home, 'A,AAAA'), QUERY_PASSWORDS: 'true' }
  const { ping, entries } = await startEndpoint(stage, settings)
  const answer = await ping(query, options)
  expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(`^good ${second}(,${ipv6})?\n$`) })
  expect((await ping(query, options)).body).toMatch(/^nochg /)
  expect((await stage.records()).map(({ content }) => content)).toEqual([second, ipv6])
  expect(JSON.stringify(entries)).not.toContain(password)
})
