import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { type Stage, startStage } from '../support/stage.ts'
import { setRecords, settingsOn } from './cases.ts'
import { first, home, ipv6, otherPassword } from './endpoint.ts'
import { expectNoSecret } from './secrets.ts'
import { ask, runtimes, type Started } from './started.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const secret = '/services/6f1d2c9a'
const both = 'both.example.com'

/** Pings with other addresses than those before, and the message about them. */
function changeOf(round: number) {
  const [a, aaaa] = [`9.9.9.${10 + round}`, `2a00:1450:4001:82b::${10 + round}`]
  const message = [
    `${home} (A): changed from ${first} to ${a}`,
    `${both} (A): changed from ${first} to ${a}`,
    `${both} (AAAA): changed from ${ipv6} to ${aaaa}`,
  ].join('\n')
  return { a, aaaa, message, pings: `/nic/update?hostname=${home},${both}&myip=${a},${aaaa}` }
}

const chunk = Buffer.alloc(64 * 1024, 'a')

/** How a messaging service answers, and what the log says of it; null for nothing. */
const services: readonly (readonly [
  how: string,
  respond: (response: ServerResponse) => void,
  said: RegExp | null,
])[] = [
  ['accepts it', response => response.end('{"id":"b3f0"}'), null],
  [
    'redirects it',
    response => response.writeHead(307, { Location: '/elsewhere' }).end(),
    /^127\.0\.0\.1:\d+ did not accept the message: it returned 307\. The records are not affected\.$/,
  ],
  [
    'repeats its secret in an error',
    response => response.writeHead(500).end(`no such topic: ${secret}`),
    /^127\.0\.0\.1:\d+ did not accept the message: it returned 500\. The records are not affected\.$/,
  ],
  [
    'never stops answering',
    function respond(response) {
      while (response.write(chunk));
      response.once('drain', () => respond(response))
    },
    /^127\.0\.0\.1:\d+ did not accept the message: the response is longer than 65536 bytes\. The records are not affected\.$/,
  ],
]

describe.each(runtimes)('a message of the endpoint %s', (_, start) => {
  let heard: { readonly line: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  let respondNow: (response: ServerResponse) => void
  let endpoint: Started
  const service = createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    respondNow(response)
  })
  beforeAll(async () => {
    const url = await listen(service)
    endpoint = await start({ ...(await settingsOn(stage)), NOTIFY_URL: `${url}${secret}` })
  })
  afterAll(async () => {
    service.closeAllConnections()
    service.close()
    await endpoint.stop()
  })

  /** Returns what the log says of messages. */
  function warnings(): readonly { readonly level: string; readonly message: string }[] {
    const lines = endpoint.output().split('\n')
    return lines.flatMap(line => (line.includes('"event":"notify"') ? JSON.parse(line) : []))
  }

  it.each(services.map((service, round) => [...service, round] as const))(
    'has every change, and is sent once, to a service that %s',
    async (_, respond, said, round) => {
      const { a, aaaa, message, pings } = changeOf(round)
      heard = []
      respondNow = respond
      await setRecords(stage)
      await stage.control('DELETE', '/journal')
      const before = warnings().length
      const answer = await ask(endpoint, pings)
      expect(answer.body).toBe(`good ${a}\ngood ${a},${aaaa}\n`)
      expect((await ask(endpoint, pings)).body).toBe(`nochg ${a}\nnochg ${a},${aaaa}\n`)
      expect((await ask(endpoint, pings, otherPassword)).body).toBe('badauth\n')
      await expect.poll(() => heard.length).toBeGreaterThan(0)
      const wanted = said === null ? [] : [{ level: 'warning', message: expect.stringMatching(said) }]
      await expect.poll(() => warnings().slice(before)).toMatchObject(wanted)
      expect(heard).toMatchObject([
        { line: `POST ${secret}`, headers: { 'content-type': 'text/plain' }, body: message },
      ])
      expect(heard[0]?.headers).not.toHaveProperty('authorization')
      expect(endpoint.output()).not.toContain('6f1d2c9a')
      await expectNoSecret(stage, endpoint, answer)
    },
  )
})
