import { beforeEach, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

describe('the journal', () => {
  beforeEach(() => sandbox.control.clearJournal())

  it('redacts credentials wherever the client put them', async () => {
    const { dnsToken, adminToken } = sandbox.at.cloudflare
    const unknown = 'u'.repeat(40)
    await sandbox.api('GET', `${sandbox.records}?name=${dnsToken}`, { headers: { 'x-copy': dnsToken } })
    await sandbox.api('PUT', `${sandbox.records}/${dnsToken}`, { body: { token: dnsToken } })
    await sandbox.api('GET', '/zones', { token: unknown })
    await sandbox.api('GET', '/zones', { headers: { 'x-auth-key': unknown, cookie: unknown } })
    await fetch(`${sandbox.at.echo[0]}/?${dnsToken}`, { headers: { authorization: `Bearer ${dnsToken}` } })
    const text = JSON.stringify(sandbox.control.journal())
    for (const secret of [dnsToken, adminToken, unknown]) expect(text).not.toContain(secret)
    expect(text).toContain('Bearer <unknown>')
    // A marker in its place still shows that a client leaked the token.
    expect(text.match(/<token [0-9a-f]{32}>/g)?.length).toBe(5)
  })
})
