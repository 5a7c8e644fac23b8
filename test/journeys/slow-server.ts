import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { Zone } from '../simulation/zone.ts'

/** Answers for Cloudflare's API with a record in each zone, and for everything else with an empty JSON object. */
const [keyFile = '', certFile = ''] = process.argv.slice(2)
const zones = new Map<string, Zone>()

const server = createServer(
  { key: readFileSync(keyFile), cert: readFileSync(certFile) },
  async (request, response) => {
    const body = await text(request)
    const url = new URL(request.url ?? '/', 'https://server')
    const [, id] = /\/zones\/(\w+)\/dns_records/.exec(url.pathname) ?? []
    response.setHeader('content-type', 'application/json')
    if (id === undefined) {
      const d1 = { success: true, errors: [], result: [{ results: [{ one: 1 }] }] }
      response.end(JSON.stringify(url.pathname.endsWith('/query') ? d1 : {}))
      return
    }
    const zone = zones.get(id) ?? new Zone(id, 'example.com')
    zones.set(id, zone)
    if (zone.records.length === 0) zone.add({ name: 'home.example.com', type: 'A', content: '8.8.4.4' })
    const method = request.method === 'PUT' ? 'PUT' : 'GET'
    response.end(zone.handle({ method, url: url.href, body }, () => {}).body)
  },
)
server.listen(8443, () => process.stdout.write('listening\n'))
