import { beforeAll, describe, expect, it } from 'vitest'
import { stateOf } from '../../sandbox/testing/state.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

interface Served {
  id: string
  name: string
  status: string
  [more: string]: unknown
}

beforeAll(() => {
  const { zones } = stateOf(sandbox.control)
  sandbox.control.setState({
    zones: [
      ...zones,
      { name: 'xn--bcher-kva.example', status: 'pending' },
      { name: 'left.example', status: 'moved', nameServers: ['a.example', 'b.example'] },
    ],
  })
})

const found = async (query: string) =>
  (await sandbox.api<Served[]>('GET', `/zones?${query}`)).body.result.map(({ name }) => name)

describe('zones', () => {
  it.each([
    ['', ['example.com', 'other.example', 'bücher.example', 'left.example']],
    ['name=example.com', ['example.com']],
    ['name=EXAMPLE.com', ['example.com']],
    [`name=${encodeURIComponent('bücher.example')}`, ['bücher.example']],
    ['name=xn--bcher-kva.example', ['bücher.example']],
    ['name=contains:other', []],
  ])('are listed: %s', async (query, names) => {
    expect(await found(query)).toEqual(names)
  })

  it('can be read by id, with name servers, status and account', async () => {
    const { accountId } = sandbox.at.cloudflare
    const { body } = await sandbox.api<Served[]>('GET', '/zones?name=left.example')
    const [zone] = body.result
    expect(zone).toMatchObject({
      status: 'moved',
      type: 'full',
      paused: false,
      name_servers: ['a.example', 'b.example'],
      account: { id: accountId },
    })
    expect((await sandbox.api('GET', `/zones/${zone?.id}`)).body.result).toEqual(zone)
  })
})
