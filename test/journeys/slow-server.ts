import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'

/** Answers for Cloudflare's API with a record in each zone, and for everything else with an empty JSON object. */
const [keyFile = '', certFile = ''] = process.argv.slice(2)
const records = new Map<string, Record<string, unknown>>()

const server = createServer(
  { key: readFileSync(keyFile), cert: readFileSync(certFile) },
  async (request, response) => {
    const body = await text(request)
    const url = new URL(request.url ?? '/', 'https://server')
    const [, zone] = /\/zones\/(\w+)\/dns_records/.exec(url.pathname) ?? []
    response.setHeader('content-type', 'application/json')
    if (zone === undefined) {
      const d1 = { success: true, errors: [], result: [{ results: [{ one: 1 }] }] }
      response.end(JSON.stringify(url.pathname.endsWith('/query') ? d1 : {}))
      return
    }
    const given = { name: 'home.example.com', type: 'A', content: '8.8.4.4', proxied: false, ttl: 120 }
    const held = records.get(zone) ?? {
      id: 'a'.repeat(32),
      ...given,
      settings: {},
      meta: {},
      comment: null,
      tags: [],
    }
    if (request.method === 'PUT') Object.assign(held, JSON.parse(body))
    records.set(zone, held)
    const result = request.method === 'PUT' ? held : [held]
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result }))
  },
)
server.listen(8443, () => process.stdout.write('listening\n'))
