import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { cloudflareReader } from '../../../infra/doctor/drift/reader.ts'
import { listen } from '../../support/listen.ts'

it('a list without an end is not read for ever', async () => {
  let asked = 0
  const server = createServer((_, response) => {
    asked += 1
    response.end(JSON.stringify({ success: true, result: Array(50).fill({}), result_info: {} }))
  })
  const reader = cloudflareReader(await listen(server), 'x'.repeat(40))
  await expect(reader.all('/zones', 'the zones')).rejects.toThrow('there are more than 100 pages.')
  expect(asked).toBe(100)
  server.closeAllConnections()
  server.close()
})
