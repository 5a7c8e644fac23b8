import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { listen } from '../../support/listen.ts'
import { list, onList, scenario } from '../../support/stage.ts'

describe('a list', () => {
  scenario('is refused if it redirects, and the token goes nowhere else', async ({ stage }) => {
    const seen: string[] = []
    const stranger = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.end('{}')
    })
    const location = await listen(stranger)
    for (const status of [301, 308]) {
      await stage.setFaults({ match: onList, answer: { kind: 'respond', status, headers: { location } } })
      const run = await stage.run()
      expect(run.outputs['reason']).toBe('unexpected')
      expect(await stage.dnsRequests()).toEqual([list])
    }
    expect(seen).toEqual([])
    stranger.close()
  })
})
