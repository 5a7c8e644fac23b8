import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { startCommand } from '../../support/command.ts'
import { listen } from '../../support/listen.ts'
import { after, before, onList, type Stage, scenario } from '../../support/stage.ts'

const unavailable = { kind: 'errors', status: 503, errors: [{ code: 1, message: 'down' }] } as const

/** Flags and environment for a command that watches the stage. */
function watching(
  { description: { cloudflare, echo } }: Stage,
  interval: string,
  baseUrl = cloudflare.baseUrl,
) {
  return {
    args: [
      ...['--zone-id', cloudflare.zoneId, '--hostname=home.example.com', '--base-url', baseUrl],
      ...echo.flatMap(url => ['--address-sources', url]),
      ...['--allow-reserved-address', '--json', '--watch', interval],
    ],
    env: { HOMEPORT_API_TOKEN: cloudflare.dnsToken },
  }
}

describe('watching', () => {
  scenario('goes on after a failed round', async ({ stage }) => {
    await stage.setRecords({ content: before })
    const faults = { match: onList, answer: unavailable, times: 3, skip: 2 }
    await stage.setFaults(faults)
    const { args, env } = watching(stage, '1s')
    const command = startCommand(args, env)
    await command.printed(/"result":"failed"[\s\S]*"result":"unchanged"/)
    command.process.kill('SIGTERM')
    const { status, stdout, stderr } = await command.ended
    expect(status).toBe(0)
    expect(stdout).toMatch(/^\{"time":"[^"]*","result":"updated","changed":true/)
    expect(stderr).toMatch(/\d rounds, 1 failed, \d+ requests\. Rounds started at most \d\.\d s late\./)
    expect(stderr).toMatch(/failed \(service-unavailable\)/)
    expect(await stage.records()).toMatchObject([{ content: after }])
  })

  scenario(
    'ends after the request in flight on SIGTERM, and confirms nothing it did not see',
    async ({ stage }) => {
      await stage.setRecords({ content: before })
      const sent: string[] = []
      // The write ends only after the signal was sent, however slow this machine is.
      const held = createServer(
        async ({ method = '', url = '', headers: { authorization = '' }, socket }, response) => {
          sent.push(method)
          if (method === 'PUT') {
            command.process.kill('SIGTERM')
            setTimeout(() => socket.destroy(), 300)
            return
          }
          const list = await fetch(stage.description.cloudflare.baseUrl + url, { headers: { authorization } })
          response.end(await list.text())
        },
      )
      const { args, env } = watching(stage, '1h', await listen(held))
      const command = startCommand(args, env)
      const { status, stdout } = await command.ended
      held.close()
      expect(status).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({ result: 'failed', reason: 'write-unconfirmed' })
      expect(sent).toEqual(['GET', 'PUT'])
    },
  )

  scenario('ends green on SIGTERM between two good rounds', async ({ stage }) => {
    await stage.setRecords({ content: after })
    const { args, env } = watching(stage, '1h')
    const command = startCommand(args, env)
    await command.printed(/"result":"unchanged"/)
    command.process.kill('SIGTERM')
    const { status, stdout, stderr } = await command.ended
    expect(status).toBe(0)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).toContain('1 round, 0 failed')
  })
})

describe('a heartbeat', () => {
  /** Starts a monitor on loopback that answers with a status. */
  async function startMonitor(answer = 200) {
    const heard: string[] = []
    const server = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      response.writeHead(answer, { location: '/elsewhere' }).end('OK')
    })
    return { heard, url: await listen(server), close: () => server.close() }
  }
  const secret = '/ping/6f1d2c9a-0b7e-4a53-8c1f-2f90d1b7e3aa'

  scenario('is sent before and after a round that ends well, without the token', async ({ stage }) => {
    const monitor = await startMonitor()
    await stage.setRecords({ content: before })
    const run = await stage.run({ 'heartbeat-url': monitor.url + secret }, { unseenRequests: 2 })
    expect(run.outputs['result']).toBe('updated')
    expect(monitor.heard).toEqual([`GET ${secret}/start undefined`, `GET ${secret} undefined`])
    expect(run.raw).toContain(`::add-mask::${secret}\n`)
    expect(`${run.rawWithoutMasks}${run.files}`).not.toContain('6f1d2c9a')
    monitor.close()
  })

  scenario(
    'that is redirected is a warning, not followed and not repeated, and its URL masks no hostname',
    async ({ stage }) => {
      const monitor = await startMonitor(302)
      await stage.setRecords({ content: after })
      const url = `${monitor.url}/api/v1/heartbeat/home.example.com${secret}`
      const run = await stage.run({ 'heartbeat-url': url }, { unseenRequests: 2 })
      expect(run.status).toBe(0)
      expect(run.rawWithoutMasks).toContain(`home.example.com A: ${after}, already correct`)
      expect(run.annotations.map(({ message }) => message)).toEqual(
        Array(2).fill(
          'The monitor at heartbeat-url did not accept a heartbeat: it returned 302. The records are not affected.',
        ),
      )
      expect(monitor.heard).toHaveLength(2)
      monitor.close()
    },
  )
})
