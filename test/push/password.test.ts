import { describe, expect, it } from 'vitest'
import type { Stage } from '../support/stage.ts'
import { first, home, hostLine, otherPassword, password, second, startEndpoint } from './endpoint.ts'
import { useStage } from './use-stage.ts'

let stage: Stage
const { contents } = useStage(started => {
  stage = started
})

describe('a password', () => {
  it('is for its own names only, and two fit at a time', async () => {
    const other = 'other.example.com'
    stage.setRecords({ content: first }, { name: other, content: first })
    const shared = await hostLine(home, 'A', password, otherPassword)
    const HOSTS = `${shared}\n${await hostLine(other, 'A', otherPassword)}`
    const { ping, entries } = await startEndpoint(stage, { HOSTS })
    const both = `hostname=${home},${other}&myip=${second}`
    expect((await ping(both)).body).toBe(`good ${second}\nnohost\n`)
    expect(entries[0]).toMatchObject({ event: 'wrong-name', message: expect.stringContaining(`"${other}"`) })
    expect(contents()).toEqual([`${home} A ${second}`, `${other} A ${first}`])
    expect((await ping(both, { password: otherPassword })).body).toBe(`nochg ${second}\ngood ${second}\n`)
  })

  it.each([
    ['wrong', `hostname=${home}`, { password: 'wrong' }],
    ['missing', `hostname=${home}`, { password: null }],
    ['empty', `hostname=${home}`, { password: '' }],
    ['for another name', 'hostname=other.example.com', {}],
    ['in the query', `hostname=${home}&password=${password}`, { password: null }],
    ['by plain http', `hostname=${home}`, { secure: false }],
  ])('is refused alike if it is %s', async (_, query, options) => {
    // The second hash is that of a variable which was not set.
    const { ping, entries } = await startEndpoint(stage, { HOSTS: await hostLine(home, 'A', password, '') })
    const answer = await ping(`${query}&myip=${first}`, options)
    expect(answer).toMatchObject({ status: 401, body: 'badauth\n' })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
    expect(stage.journal()).toEqual([])
    expect(JSON.stringify(entries)).not.toContain(password)
  })

  it('that is right is not called wrong in the log if the router sends the name of the endpoint', async () => {
    const { ping, entries } = await startEndpoint(stage)
    for (let pings = 0; pings < 30; pings++)
      expect((await ping('hostname=push.example.com')).body).toBe('badauth\n')
    expect(entries[29]).toEqual({
      level: 'warning',
      event: 'wrong-name',
      message: `The password is right, but not for "push.example.com". Set the hostname in the router to "${home}".`,
    })
  })

  it('is not in the log if it is in a hostname, too, in any case', async () => {
    const own = 'Tr0ub4dor'
    const { ping, entries } = await startEndpoint(stage, { HOSTS: await hostLine(home, 'A', password, own) })
    for (const given of [password, own])
      for (const name of [
        `${given}.example.com`,
        `home.example.com.${given}x`,
        `${otherPassword}.example.com`,
      ])
        expect((await ping(`hostname=${name}`, { password: given })).body).toBe('badauth\n')
    expect(entries.map(({ event }) => event)).toEqual(Array(6).fill('wrong-name'))
    const log = JSON.stringify(entries).toLowerCase()
    for (const secret of [password, otherPassword, own]) expect(log).not.toContain(secret.toLowerCase())
  })

  it('is not asked for by plain http, where the client would send it in clear text', async () => {
    const { ping, entries } = await startEndpoint(stage)
    const answer = await ping(`hostname=${home}`, { password: null, secure: false })
    expect(answer).toMatchObject({ status: 401, body: 'badauth\n' })
    expect(answer.headers.get('www-authenticate')).toBe('TLS realm="Homeport"')
    const message = expect.stringContaining('before it sent its password')
    expect(entries).toEqual([{ level: 'warning', event: 'plain-http', message }])
  })

  it('is called disclosed if it came by plain http in any form', async () => {
    const { ping, entries } = await startEndpoint(stage)
    await ping(`hostname=${home}&password=${password}`, { password: null, secure: false })
    await ping(`hostname=${home}`, { secure: false })
    expect(entries.map(({ message }) => message)).toEqual(
      Array(2).fill(expect.stringMatching(/^A password came by plain http/)),
    )
  })

  it('may be in the query or cross plain http if the settings say so', async () => {
    const { ping } = await startEndpoint(stage, { QUERY_PASSWORDS: 'true', PLAIN_HTTP: 'true' })
    const query = `hostname=${home}&myip=${first}&password=${password}`
    expect((await ping(query, { password: null, secure: false })).body).toBe(`nochg ${first}\n`)
  })

  it('passes if it is right, however many wrong ones came from its network', async () => {
    const { ping, entries } = await startEndpoint(stage)
    const wrong = () => ping(`hostname=${home}`, { password: 'wrong' })
    for (let attempts = 0; attempts < 20; attempts++) expect((await wrong()).status).toBe(401)
    for (let attempts = 0; attempts < 30; attempts++)
      expect((await ping(`hostname=${home}`, { password: null })).status).toBe(401)
    expect(entries.at(-1)).toMatchObject({ event: 'wrong-password', limited: false })
    const limited = await wrong()
    expect(entries.at(-1)).toMatchObject({ event: 'wrong-password', limited: true })
    expect(limited).toMatchObject({ status: 503, body: '911\n' })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await ping(`hostname=${home}&myip=${first}`)).body).toBe(`nochg ${first}\n`)
    expect((await ping(`hostname=${home}`, { password: 'wrong', from: first })).status).toBe(401)
  })

  it('that is wrong counts for the network of 64 bits, and for callers that are unknown together', async () => {
    const { ping } = await startEndpoint(stage)
    const wrong = (from: string | null) => ping(`hostname=${home}`, { password: 'wrong', from })
    for (const unknown of [false, true]) {
      for (let host = 1; host <= 20; host++)
        expect((await wrong(unknown ? null : `2a00:1450:4001:82b::${host}`)).status).toBe(401)
      expect((await wrong(unknown ? null : '2a00:1450:4001:82b:ffff::1')).status).toBe(503)
    }
    expect((await wrong('2a00:1450:4001:82c::1')).status).toBe(401)
  })
})
