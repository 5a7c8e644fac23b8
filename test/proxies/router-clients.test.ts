import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { first, home, hostLine, ipv6, otherPassword, password, second } from '../push/endpoint.ts'
import { bodyOf, fiveHostLines, fivePings, namesOf, recordsOf } from '../push/five-hosts.ts'
import { settingsFor } from '../push/support.ts'
import { debianProgram } from '../support/debian-program.ts'
import { type Stage, startStage } from '../support/stage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pushHost, whyNoNetwork } from './namespace.ts'
import { type PushFront, routerAddress, startPushFront } from './push-front.ts'
import { asus, type Command, ddclient, inadyn, names } from './routers.ts'
import { ipv6Shapes, otherIpv6, type Shape, shapes } from './shapes.ts'

/** The address after the second. */
const third = '149.112.112.112'
/** What a client writes into a header to be taken for another. */
const forged = '208.67.222.222'

/** Returns the command for a request as a client sends it. */
async function curl(query: string, options: Shape, scheme = 'https'): Promise<Command> {
  const { path = '/nic/update', method = 'GET', from, password: given = password, form, challenged } = options
  const { agent, isOld } = options
  const args = [
    ...'--silent --show-error --include --globoff --path-as-is --request'.split(' '),
    method,
    // Clients that speak HTTP/1.0 name no protocol (ALPN).
    ...(isOld ? ['--http1.0', '--no-alpn'] : ['--http1.1']),
    ...(given === null ? [] : ['--user', `homeport:${given}`]),
    ...(challenged ? ['--anyauth'] : []),
    ...(agent ? ['--user-agent', agent] : []),
    ...(form === undefined ? [] : ['--data', form]),
    ...(from ? ['--header', `X-Forwarded-For: ${forged}`, '--header', `CF-Connecting-IP: ${forged}`] : []),
    `${scheme}://${pushHost}${path}${query && `?${query}`}`,
  ]
  return [await debianProgram('curl'), args]
}

/** What a client says after an address was written, after it was there already, and after a wrong password. */
interface Says {
  readonly good: (address: string) => RegExp
  readonly nochg: (address: string) => RegExp
  readonly refused: RegExp
}

/** Its last response, as OpenWrt's clients first get 401. */
const curlSays: Says = {
  good: address =>
    new RegExp(`HTTP/1.[01] 200 [^]*^content-length: \\d+\r$[^]*\r\n\r\ngood ${address}(,${ipv6})?\n$`, 'im'),
  nochg: address => new RegExp(`HTTP/1.[01] 200 [^]*\r\n\r\nnochg ${address}(,${ipv6})?\n$`),
  refused: /^HTTP\/1.[01] 401 .*\r\n\r\nbadauth\n$/s,
}

/** A list before the writes of a round, and one after it. */
const round = (writes: number) => ['GET', ...Array(writes).fill('PUT'), 'GET']
const fiveNames = Array.from({ length: 5 }, (_, index) => `five${index}.example.com`)

const proxies = ['nginx', 'caddy'] as const

describe.skipIf(whyNoNetwork !== '').each(proxies)(`over TLS, with %s${whyNoNetwork},`, proxy => {
  let stage: Stage
  let network: PushFront
  let name = ''
  let used = 0
  beforeEach(() => {
    name = names[used++] ?? ''
  })
  beforeAll(async () => {
    stage = await startStage()
    const own = await Promise.all([...names, ...fiveNames].map(name => hostLine(name, 'A,AAAA')))
    const HOSTS = [...own, ...(await fiveHostLines())].join('\n')
    network = await startPushFront(proxy, {
      ...settingsFor(stage.description),
      HOSTS,
      QUERY_PASSWORDS: 'true',
    })
  })
  afterAll(async () => {
    await network.stop()
    await stage.close()
  })

  /** Runs a client. Returns what it printed, its status, and the methods of the requests to the DNS service. */
  async function send(command: Command) {
    stage.control.clearJournal()
    const { status, output } = await network.run(...command)
    const methods = stage.dnsRequests().map(request => request.split(' ', 1)[0])
    const contents = stage.records().map(({ content }) => content)
    return { status, output, methods, contents }
  }

  /** Reports an address, again, and another one, and then a wrong password. */
  async function expectJourney(client: (address: string, password: string) => Promise<Command>, says: Says) {
    stage.setRecords({ name, content: first }, { name, type: 'AAAA', content: ipv6 })
    const written = (address: string) => ({
      status: 0,
      output: expect.stringMatching(says.good(address)),
      methods: ['GET', 'PUT', 'GET'],
      contents: [address, ipv6],
    })
    expect(await send(await client(second, password))).toEqual(written(second))
    expect(await send(await client(second, password))).toEqual({
      status: 0,
      output: expect.stringMatching(says.nochg(second)),
      // Somebody else can have changed the record.
      methods: ['GET'],
      contents: [second, ipv6],
    })
    expect(await send(await client(third, password))).toEqual(written(third))
    const refused = await send(await client(second, otherPassword))
    expect(refused).toMatchObject({ methods: [], contents: [third, ipv6] })
    expect(refused.output).toMatch(says.refused)
    for (const secret of [password, otherPassword]) expect(await network.readLog()).not.toContain(secret)
    return refused
  }

  it('ddclient keeps a record with the documented lines', async () => {
    const folder = temporaryFolder()
    const refused = await expectJourney(
      async (address, given) => {
        await network.setAddress(address)
        return ddclient(folder, name, given)
      },
      {
        good: address => new RegExp(`^SUCCESS:  updating ${name}: good: IP address set to ${address}\n$`),
        nochg: () => new RegExp(`^WARNING:  updating ${name}: nochg: No update required;`),
        refused: new RegExp(`^FAILED:   updating ${name}: authorization failed`),
      },
    )
    expect(refused.status).toBe(1)
  })

  it('ddclient keeps five hosts by one ping', async () => {
    stage.setRecords(...fiveNames.map(name => ({ name, content: first })))
    await network.setAddress(second)
    const sent = await send(await ddclient(temporaryFolder(), fiveNames.join(), password))
    expect(sent).toMatchObject({ status: 0, methods: round(5), contents: Array(5).fill(second) })
    for (const name of fiveNames)
      expect(sent.output).toContain(`updating ${name}: good: IP address set to ${second}`)
  })

  it.each(fivePings)('curl keeps five hosts by one ping of $client', async ping => {
    const records = stage.setRecords(...recordsOf(ping))
    const writes = ping.own[0] === null ? fiveNames.length : records.length
    const path = ping.path(namesOf(ping))
    const command = await curl('', { path, ...(ping.agent !== undefined && { agent: ping.agent }) })
    const answered = (word: string) => expect.stringContaining(`\r\n\r\n${bodyOf(word, ping)}`)
    expect(await send(command)).toMatchObject({ output: answered('good'), methods: round(writes) })
    expect(await send(command)).toMatchObject({ output: answered('nochg'), methods: ['GET'] })
  })

  it('inadyn keeps a record with the documented lines', async () => {
    const folder = temporaryFolder()
    const accepted = (address: string) =>
      new RegExp(`Update forced for alias ${name}, new IP# ${address}\n.*Updating cache for ${name}\n$`)
    const refused = await expectJourney(
      async (address, given) => {
        await network.setAddress(address)
        return inadyn(folder, name, given)
      },
      { good: accepted, nochg: accepted, refused: /\[401 Unauthorized\] badauth\n.*exiting!/ },
    )
    expect(refused.status).not.toBe(0)
  })

  it('the script of an ASUS router keeps a record, and tells the firmware what came of it', async () => {
    const accepted = () => /^1\n$/
    const says = { good: accepted, nochg: accepted, refused: /^0\n$/ }
    await expectJourney((address, given) => asus(address, name, given), says)
  })

  // The first front gets all, the others those whose path, body or password they could change.
  const theirs = shapes.filter(([, , options]) => proxy === 'nginx' || Object.keys(options).length > 0)
  it.each(theirs)('curl keeps a record with the requests of %s', async (_, query, options) => {
    await expectJourney(async (address, given) => {
      await network.setAddress(options.from ? address : routerAddress)
      const fill = (text: string) =>
        text.replaceAll(home, name).replace(second, address).replace(password, given)
      return curl(fill(query), {
        ...options,
        ...(options.form !== undefined && { form: fill(options.form) }),
        ...(options.password !== null && { password: given }),
      })
    }, curlSays)
  })

  it.each(ipv6Shapes)('curl keeps an AAAA record with the requests of %s', async (_, query, options) => {
    stage.setRecords({ name, content: first }, { name, type: 'AAAA', content: ipv6 })
    const command = await curl(query.replaceAll(home, name), options)
    const answered = (word: string) => expect.stringMatching(new RegExp(`\r\n\r\n(${word} ${otherIpv6}\n)+$`))
    const contents = [first, otherIpv6]
    const methods = ['GET', 'PUT', 'GET']
    expect(await send(command)).toEqual({ status: 0, output: answered('good'), methods, contents })
    expect(await send(command)).toEqual({ status: 0, output: answered('nochg'), methods: ['GET'], contents })
  })

  it('answers whatever the size of a body is, with a length and in chunks, over HTTP/1.1 and HTTP/2', async () => {
    stage.setRecords({ name, content: second })
    const file = join(temporaryFolder(), 'body')
    for (const megabytes of [0.9, 1, 1.1, 12]) {
      await writeFile(file, Buffer.alloc(megabytes * 1_000_000, 'x'))
      for (const version of ['--http1.1', '--http2'])
        for (const chunks of [[], ['--header', 'Transfer-Encoding: chunked']]) {
          const args = [
            ...`--silent --show-error --write-out %{http_code} --user homeport:${password} ${version}`.split(
              ' ',
            ),
            ...[
              '--max-time',
              '20',
              '--data-binary',
              `@${file}`,
              '--header',
              'Content-Type: text/plain',
              ...chunks,
            ],
            `https://${pushHost}/nic/update?hostname=${name}&myip=${second}`,
          ]
          const { output } = await network.run(await debianProgram('curl'), args)
          // Neither reads it: nginx refuses it, and the endpoint answers the query.
          expect(output, `${megabytes} MB ${version} ${chunks}`).toMatch(proxy === 'nginx' ? /413$/ : /200$/)
        }
    }
  })

  it('refuses a router that is set to http, without a redirect', async () => {
    const query = `hostname=${name}&myip=${second}`
    const { output, methods } = await send(await curl(query, {}, 'http'))
    expect(output).toMatch(curlSays.refused)
    expect(methods).toEqual([])
  })
})
