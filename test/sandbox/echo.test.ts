import { describe, expect, it } from 'vitest'
import { request } from './request.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

describe('the address echoes', () => {
  it('return the address as a line of a trace, on their own ports and for the hosts of the service', async () => {
    const { baseUrl } = sandbox.at.cloudflare
    const [url = ''] = sandbox.at.echo
    expect(await (await fetch(`${url}/cdn-cgi/trace`)).text()).toMatch(
      /^fl=.*\nh=127.0.0.1\nip=203.0.113.10\nts=\d/,
    )
    for (const host of ['api.cloudflare.com', 'one.one.one.one', '1.1.1.1']) {
      const { text } = await request(`http://${host}/cdn-cgi/trace`, { port: Number(new URL(baseUrl).port) })
      expect(text).toContain(`h=${host}\nip=203.0.113.10\n`)
    }
    const other = await fetch(`${baseUrl}/cdn-cgi/trace`)
    expect([other.status, await other.json()]).toMatchObject([
      404,
      { errors: [{ code: 7003 }, { code: 7000 }] },
    ])
  })
})
