import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { cloudflareReader, gitHubReader, graphReader } from '../../../infra/drift/reader.ts'
import type { SignInSettings } from '../../../infra/settings/stack-settings.ts'
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

it('every page of a list at Graph is read, from the host that has the token', async () => {
  const asked: unknown[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    const next = { '@odata.nextLink': 'https://elsewhere.example/v1.0/applications?$skiptoken=2' }
    response.end(JSON.stringify({ value: [asked.length], ...(asked.length === 1 && next) }))
  })
  const handler = { INSTANCE: 'https://login.example', GRAPH_URL: await listen(server) }
  // The reader needs the handler's two addresses only, so the type needs a cast.
  const reader = graphReader({ handler } as unknown as SignInSettings, { HOMEPORT_GRAPH_TOKEN: 'x' })
  expect(await reader.all('/applications?$top=1', 'the applications')).toEqual([1, 2])
  expect(asked).toEqual(['/v1.0/applications?$top=1', '/v1.0/applications?$skiptoken=2'])
  server.closeAllConnections()
  server.close()
})

it('a token that Cloudflare cannot read is told as a wrong token', async () => {
  const errors = [{ code: 6003, message: 'Invalid request headers' }]
  const server = createServer((_, response) => {
    response.writeHead(400).end(JSON.stringify({ success: false, errors, messages: [], result: null }))
  })
  const reader = cloudflareReader(await listen(server), 'x'.repeat(40))
  await expect(reader.all('/zones', 'the zones')).rejects.toThrow(
    'The token in CLOUDFLARE_API_TOKEN is not valid: ',
  )
  server.closeAllConnections()
  server.close()
})

it('a token with a line break is told as such, and not as a fault of the service', () => {
  const token = `${'x'.repeat(40)}\n`
  const problem = /_TOKEN has white space or a character that no token has\. Store it again, on one line\.$/
  expect(() => cloudflareReader('https://api.example', token)).toThrow(problem)
  expect(() => gitHubReader({ GITHUB_TOKEN: token }, 'GITHUB_TOKEN')).toThrow(problem)
})
