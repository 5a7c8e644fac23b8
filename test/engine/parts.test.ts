import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { deployed } from '../support/engine/deployed.ts'
import { hostname } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')
const second = 'wiki.example.com'
const third = 'files.example.com'
const { stage, stack } = await deployed()
const { services } = stage

const types = async (): Promise<readonly string[]> => {
  const { deployment } = JSON.parse(await stack.must(['stack', 'export']))
  return deployment.resources.map(({ type }: { type: string }) => type)
}
const urnOf = async (name: string): Promise<string> =>
  new RegExp(`urn:\\S+::${name.replaceAll('.', '\\.')}(?=\\s|$)`, 'm').exec(
    await stack.must(['stack', '--show-urns']),
  )?.[0] ?? ''
const plain = (text: string) => text.replace(/\s+/g, ' ')
const databases = () => services.api<unknown[]>('GET', `/accounts/${services.at.accountId}/d1/database`)

/** Expects a preview with the policies and an up without them to be refused, and nothing to be written. */
async function refused(message: RegExp): Promise<void> {
  await services.forget()
  for (const command of [
    ['preview', '--policy-pack', pack],
    ['up', '--yes', '--skip-preview'],
  ]) {
    const { status, output } = await stack.run(command)
    expect(status, output).not.toBe(0)
    expect(plain(output)).toMatch(message)
  }
  expect(await services.writes()).toEqual([])
}

describe('leaving the Worker', () => {
  it('is refused while the database is protected, with the steps', async () => {
    await stack.employees('migrate')
    await stack.employees('add', 'alice')
    await stack.configure({ signIn: 'host', publicOrigin: `https://${hostname}`, basePath: '/_homeport' })
    await refused(/First save the employees, then run pulumi state unprotect.*#leave-the-worker/)
    expect(await databases()).toHaveLength(1)
  })

  it('is done after the protection was ended by hand, and the policies hold', async () => {
    await stack.must(['state', 'unprotect', '--yes', await urnOf('handler-database')])
    await stack.up('--policy-pack', pack)
    expect(await databases()).toEqual([])
    expect(await types()).not.toContain('cloudflare:index/workersScript:WorkersScript')
    expect(services.registration().web.redirectUris).toEqual([`https://${hostname}/_homeport/auth/callback`])
    const settings = JSON.parse(await stack.output('handlerSettings'))
    expect(settings).toMatchObject({
      REDIRECT_URI: `https://${hostname}/_homeport/auth/callback`,
      BASE_PATH: '/_homeport',
      CLIENT_ID: await stack.output('clientId'),
    })
    expect(settings.CLIENT_SECRET.split(',')).toHaveLength(2)
    expect((await stack.drift()).output).toContain('No drift')
  })

  it('leaves a secret out of what the state and the CLI show', async () => {
    const { CLIENT_SECRET } = JSON.parse(await stack.output('handlerSettings'))
    const shown = (await stack.must(['stack', 'export'])) + (await stack.must(['stack', 'output', '--json']))
    for (const secret of CLIENT_SECRET.split(',')) expect(shown).not.toContain(secret)
  })
})

describe('a handler on a host', () => {
  it('may have several hosts, each registered, and none besides', async () => {
    await stack.configure({ publicOrigin: `https://${hostname},https://${second}` })
    await stack.up('--policy-pack', pack)
    const uris = [hostname, second].map(host => `https://${host}/_homeport/auth/callback`)
    expect(services.registration().web.redirectUris).toEqual(uris)
    expect(JSON.parse(await stack.output('handlerSettings')).REDIRECT_URI).toBe(uris.join(','))
  })

  it('is not disturbed by a rotation: the files of before keep a secret that works', async () => {
    const secretsIn = async () => JSON.parse(await stack.output('handlerSettings')).CLIENT_SECRET.split(',')
    const before = await secretsIn()
    await stack.configure({ secretRotationB: new Date().toISOString().slice(0, 10) })
    await stack.up()
    const after = await secretsIn()
    expect(after[1]).toBe(before[0])
    expect(after[0]).not.toBe(before[1])
  })
})

describe('records', () => {
  it('are each refused if the name has one already, and adopted by a line', async () => {
    const path = `/zones/${services.at.zoneId}/dns_records`
    const body = { name: third, type: 'A', content: '203.0.113.33', ttl: 120, proxied: false }
    const { id } = await services.api<{ id: string }>('POST', path, body)
    await stack.configure({ hostname: `${hostname},${third}` })
    await refused(new RegExp(`${third} already has an A record: "${id}".*importRecordId '${third} A ${id}'`))
    await stack.configure({ importRecordId: `${third} A ${id}` })
    await stack.up()
    await stack.configure({ importRecordId: undefined })
    await stack.up('--policy-pack', pack)
    expect(await services.record(third)).toMatchObject({ id, content: '203.0.113.33' })
    await stack.must(['state', 'delete', '--force', '--yes', await urnOf(`dns-record-${third}-a`)])
  })

  it('of several names and types are declared beside the first, which stays', async () => {
    const first = await services.record(hostname)
    await stack.configure({ hostname: `${hostname},${second}`, recordType: 'A,AAAA' })
    await stack.up('--policy-pack', pack)
    const ids = JSON.parse(await stack.output('recordIds'))
    expect(Object.keys(ids).toSorted()).toEqual(
      [hostname, second].flatMap(name => [`${name} A`, `${name} AAAA`]).toSorted(),
    )
    expect(ids[`${hostname} A`]).toBe(first?.id)
    expect(await stack.output('recordId')).toBe(first?.id)
    const { variables } = services.state.github.environments['dns'] ?? { variables: {} }
    expect(JSON.stringify(variables)).toContain('A,AAAA')
    expect((await stack.drift()).output).toContain('No drift')
  })

  it('keep their order in the state', async () => {
    await stack.configure({ hostname: `${second},${hostname}` })
    await refused(/lists wiki\.example\.com A first, but the stack's first record is "dyn\.example\.com A"/)
  })

  it('are never deleted because they are no longer listed', async () => {
    await stack.configure({ hostname, recordType: 'A' })
    await refused(/has the record "wiki\.example\.com A", which the configuration no longer declares/)
    for (const name of [
      `dns-record-${hostname}-aaaa`,
      `dns-record-${second}-a`,
      `dns-record-${second}-aaaa`,
    ]) {
      await stack.must(['state', 'delete', '--force', '--yes', await urnOf(name)])
    }
    await stack.up()
    expect(await services.record(second)).toMatchObject({ content: '192.0.2.1' })
    expect((await stack.drift()).output).toContain(`(${hostname}, AAAA), which decides where people go, too`)
  })

  it('stay when the part is switched off, and come back by their id', async () => {
    const first = await services.record(hostname)
    await stack.configure({ record: 'false' })
    await refused(/has the record "dyn\.example\.com A", which the configuration no longer declares/)
    await stack.must(['state', 'delete', '--force', '--yes', await urnOf('dns-record')])
    await stack.up('--policy-pack', pack)
    expect(await services.record(hostname)).toEqual(first)
    expect(await services.tokens()).toEqual([])

    await stack.configure({ record: 'true', importRecordId: first?.id })
    await stack.up()
    await stack.configure({ importRecordId: undefined })
    await stack.up('--policy-pack', pack)
    expect((await services.record(hostname))?.id).toBe(first?.id)
    expect(await services.tokens()).toHaveLength(1)
  })

  it('take the first place by the commands of the messages', async () => {
    const next = 'next.example.com'
    await stack.configure({ hostname: `${hostname},${next}` })
    await stack.up()
    const kept = await services.record(next)
    await stack.configure({ hostname: next })
    const place = await urnOf('dns-record')
    await refused(/no longer lists "dyn\.example\.com A".*pulumi state delete --force.*pulumi state rename/)
    await stack.must(['state', 'delete', '--force', '--yes', place])
    await refused(/The stack has next\.example\.com A, but not as its first record/)
    const urn = await urnOf(`dns-record-${next}-a`)
    await stack.must(['state', 'rename', '--yes', urn, 'dns-record'])
    await stack.up('--policy-pack', pack)
    expect(await services.record(next)).toEqual(kept)
    expect(await stack.output('recordId')).toBe(kept?.id)
    expect(await services.record(hostname)).not.toBeNull()
  })
})

describe('a record alone', () => {
  it('needs no directory, and says which keys it does not use', async () => {
    await stack.configure({ signIn: 'none', record: 'true' })
    const output = plain(await stack.up('--policy-pack', pack))
    expect(output).toMatch(/homeport:publicOrigin.*Remove them: pulumi config rm-all .*publicOrigin/)
    expect((await types()).filter(type => type.startsWith('azuread:'))).toEqual([])
    expect(services.state.entra.applications).toEqual([])
  })
})
