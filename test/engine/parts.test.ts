import { describe, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, policies } from '../support/engine/stack.ts'

const second = 'wiki.example.com'
const { stage, stack } = await deployed()
const { services } = stage

const urnOf = async (name: string): Promise<string> =>
  new RegExp(`urn:\\S+::${name.replaceAll('.', '\\.')}(?=\\s|$)`, 'm').exec(
    await stack.must(['stack', '--show-urns']),
  )?.[0] ?? ''
const databases = () => services.api<unknown[]>('GET', `/accounts/${services.at.accountId}/d1/database`)

/** Expects a preview with the policies and an up without them to be refused, and nothing to be written. */
async function refused(message: RegExp): Promise<void> {
  services.sandbox.control.clearJournal()
  for (const command of [
    ['preview', ...policies],
    ['up', '--yes', '--skip-preview'],
  ]) {
    const { status, output } = await stack.run(command)
    expect(status, output).not.toBe(0)
    expect(output.replace(/\s+/g, ' ')).toMatch(message)
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
    await stack.up(...policies)
    expect(await databases()).toEqual([])
    expect(services.registration().web.redirectUris).toEqual([`https://${hostname}/_homeport/auth/callback`])
    expect((await stack.drift()).output).toContain('No drift')
  })
})

// test/infra/resources/losses.test.ts has every refusal.
describe('records', () => {
  it('of several names and types are declared beside the first, which stays', async () => {
    const first = await services.record(hostname)
    await stack.configure({ hostname: `${hostname},${second}`, recordType: 'A,AAAA' })
    await stack.up(...policies)
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
    await stack.up(...policies)
    expect(await services.record(next)).toEqual(kept)
    expect(await stack.output('recordId')).toBe(kept?.id)
    expect(await services.record(hostname)).not.toBeNull()
  })
})
