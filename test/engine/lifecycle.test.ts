import { describe, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { hostname, publicOrigin } from '../support/engine/stack.ts'

const redirectUri = `${publicOrigin}/auth/callback`
const dnsWrite = '4755a26eedb94da69e1066d98aa820be'
const changesPlanned = 7

const { stage, stack } = await deployed()

describe('the first up', () => {
  it('creates the record in the shape that the action expects', async () => {
    expect(await stage.services.record(hostname)).toMatchObject({
      type: 'A',
      content: '192.0.2.1',
      ttl: 120,
      proxied: false,
    })
  })

  it('creates a token for this zone only, and hands it over to the repository', async () => {
    const { services } = stage
    const [token, ...others] = await services.tokens()
    expect(others).toEqual([])
    expect(token?.policies).toMatchObject([{ permission_groups: [{ id: dnsWrite }] }])
    const value = await stack.output('dnsToken')
    expect(services.state.github.environments['dns']).toEqual({
      secrets: { CLOUDFLARE_DNS_TOKEN: value },
      variables: {
        HOMEPORT_ZONE_ID: services.at.zoneId,
        HOMEPORT_HOSTNAME: hostname,
        HOMEPORT_RECORD_TYPE: 'A',
      },
    })
    const list = `/zones/${services.at.zoneId}/dns_records`
    await expect(services.api('GET', list, undefined, value)).resolves.toBeInstanceOf(Array)
    await expect(services.api('GET', '/user/tokens', undefined, value)).rejects.toThrow()
  })

  it('registers one redirect URI, which the Worker sends and the stack outputs', async () => {
    const registration = stage.services.registration()
    expect(registration.web.redirectUris).toEqual([redirectUri])
    expect(registration.signInAudience).toBe('AzureADMyOrg')
    expect(registration.owners).toContain(stage.services.sandbox.description.entra.deployer.objectId)
    expect(registration.passwords).toHaveLength(2)
    expect(await stack.output('redirectUri')).toBe(redirectUri)
    const asked = await stage.services.beginSignIn(publicOrigin)
    expect(asked.parameters.get('redirect_uri')).toBe(redirectUri)
    expect(asked.parameters.get('client_id')).toBe(registration.appId)
    expect(asked.parameters.get('scope')).toBe('User.Read')
  })
})

describe('a second run', () => {
  it('writes nothing, and its preview plans nothing', async () => {
    await stage.services.forget()
    await stack.up()
    expect(await stage.services.writes()).toEqual([])
    expect((await stack.run(['preview', '--expect-no-changes'])).status).toBe(0)
  })

  it('with a change exits with the status for planned changes', async () => {
    await stack.configure({ displayName: 'Another name' })
    expect((await stack.run(['preview', '--expect-no-changes'])).status).toBe(changesPlanned)
    expect(stage.services.registration().displayName).toBe('Homeport')
  })
})
