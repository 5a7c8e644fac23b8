import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { describe, expect } from 'vitest'
import { startCommand } from '../../support/command.ts'
import { listen } from '../../support/listen.ts'
import { after, before, type Stage, scenario } from '../../support/stage.ts'

const secret = '/services/6f1d2c9a-0b7e-4a53-8c1f-2f90d1b7e3aa'
const message = `home.example.com (A): changed from ${before} to ${after}`

/** What a messaging service was sent. */
interface Heard {
  readonly line: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a messaging service on loopback. Its URL contains a secret. */
async function startService(answer: (response: ServerResponse) => void = response => response.end('ok')) {
  const heard: Heard[] = []
  let arrived = () => {}
  const first = new Promise<void>(resolve => {
    arrived = resolve
  })
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    arrived()
    answer(response)
  })
  const url = await listen(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { heard, first, url: url + secret, close }
}

/** Starts the command on the stage. */
function startOn(
  { description: { cloudflare, echo } }: Stage,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const flags = [
    ...['--zone-id', cloudflare.zoneId, '--hostname=home.example.com', '--base-url', cloudflare.baseUrl],
    ...echo.flatMap(url => ['--address-sources', url]),
    ...['--allow-reserved-address', '--json', ...args],
  ]
  return startCommand(flags, { HOMEPORT_API_TOKEN: cloudflare.dnsToken, ...env })
}

describe('a message', () => {
  scenario('has every change of a round as text, without the token', async ({ stage }) => {
    const service = await startService()
    await stage.setRecords({ content: before }, { name: 'same.example.com', content: after })
    const run = await stage.run({
      'notify-url': service.url,
      hostname: 'home.example.com\nsame.example.com\nnew.example.com',
      create: 'true',
    })
    expect(run).toMatchObject({ status: 0, annotations: [] })
    expect(service.heard).toMatchObject([
      {
        line: `POST ${secret}`,
        headers: { 'content-type': 'text/plain' },
        body: `${message}\nnew.example.com (A): created with ${after}`,
      },
    ])
    expect(service.heard[0]?.headers).not.toHaveProperty('authorization')
    expect(run.raw).toContain(`::add-mask::${secret}\n`)
    expect(`${run.rawWithoutMasks}${run.files}`).not.toContain('6f1d2c9a')
    service.close()
  })

  scenario('follows the outputs: who cancels the job meanwhile loses neither', async ({ stage }) => {
    const service = await startService(() => {})
    await stage.setRecords({ content: before })
    const run = await stage.run(
      { 'notify-url': service.url },
      { cancelWhen: { signal: 'SIGTERM', condition: service.first } },
    )
    expect(run).toMatchObject({ status: 0, annotations: [], outputs: { result: 'updated', changed: 'true' } })
    expect(run.summary).toContain('updated')
    expect(service.heard).toHaveLength(1)
    service.close()
  })
})

describe('the command', () => {
  scenario('sends one message for each round of a watch that changed a record', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const service = await startService(response => response.writeHead(404).end())
    const command = startOn(stage, ['--watch=1s'], { HOMEPORT_NOTIFY_URL: service.url })
    await command.printed(/"result":"updated".*\n.*"result":"unchanged"/)
    expect(service.heard.map(({ body }) => body)).toEqual([message])
    await stage.setEchoes('203.0.113.11')
    await command.printed(/"result":"updated".*\n(.*\n)*.*"result":"updated".*\n.*"result":"unchanged"/)
    command.process.kill('SIGTERM')
    const { status, stderr } = await command.ended
    expect(status).toBe(0)
    expect(service.heard.map(({ body }) => body)).toEqual([
      message,
      `home.example.com (A): changed from ${after} to 203.0.113.11`,
    ])
    expect(
      stderr.match(/^.{20} warning: notify-url: 127\.0\.0\.1:\d+ did not accept .* it returned 404\./gm),
    ).toHaveLength(2)
    expect(stderr).not.toContain('6f1d2c9a')
    service.close()
  })
})
