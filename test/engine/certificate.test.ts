import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  createClientCertificate,
  signAssertion,
  type TestCertificate,
} from '../../sandbox/testing/client-certificate.ts'
import { deployed } from '../support/engine/deployed.ts'
import { policies, publicOrigin } from '../support/engine/stack.ts'
import { requestGraphToken } from '../support/services.ts'

const { stage, stack } = await deployed()
const { services } = stage
const { control, description } = services.sandbox
await stack.employees('migrate')
await stack.employees('add', 'alice')

const dayMs = 86_400_000
const first = createClientCertificate()
const second = createClientCertificate({ until: Date.now() + 500 * dayMs })

/** Sets what authenticates the application. */
async function configure(credential: string, ...certificates: readonly TestCertificate[]): Promise<void> {
  const none = { clientCertificate: undefined, clientCertificateNext: undefined }
  await stack.configure({ credential, ...none })
  const set = certificates.map(({ pem }, at) => [Object.keys(none)[at], pem])
  if (set.length > 0) await stack.configureSecrets(Object.fromEntries(set))
}

/** Runs `up` while somebody signs in again and again, with the Worker of each moment. No sign-in may be refused. */
async function upUnderLoad(...args: readonly string[]): Promise<void> {
  let isRunning = true
  const run = stack.tryUp(...args).finally(() => {
    isRunning = false
  })
  do {
    const answer = await services.signIn(publicOrigin, 'alice@example.com')
    expect(answer).toMatchObject({ user: { username: 'alice' } })
    await sleep(100)
  } while (isRunning)
  const { status, output } = await run
  expect(status, output).toBe(0)
  expect(await services.signIn(publicOrigin, 'alice@example.com')).toHaveProperty('user')
}

/** Returns what authenticates the application: how many secrets, and which certificates. */
function credentials() {
  const { passwords, keyCredentials } = services.registration()
  return { secrets: passwords.length, certificates: keyCredentials.map(({ key }) => key) }
}

/** Requests a token with an assertion that a certificate signed. Resolves to the status. */
async function tryAssertion(certificate: TestCertificate): Promise<number> {
  const { instance, tenantId } = description.entra
  const clientId = services.registration().appId
  const { status } = await requestGraphToken(description.entra, {
    client_id: clientId,
    client_secret: null,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: signAssertion(certificate, { aud: `${instance}${tenantId}/v2.0`, clientId }),
  })
  return status
}

/** Runs `up` in a tenant whose policy forbids a kind of credential. Resolves to its output. */
async function upForbidden(method: string, path: string): Promise<string> {
  const error = {
    code: 'CredentialTypeNotAllowedAsPerAppPolicy',
    message: "Credential type not allowed as per assigned policy 'Default app management policy'.",
  }
  const answer = { kind: 'errors', status: 400, errors: [error] } as const
  control.setFaults([{ match: { service: 'graph', method, path }, times: null, answer }])
  const { status, output } = await stack.tryUp()
  control.setFaults([])
  expect(status).not.toBe(0)
  return output.replace(/\s+/g, ' ')
}

it('a certificate is declared beside the secrets, and then alone', async () => {
  await configure('secret', first)
  expect(await upForbidden('PATCH', '/applications/')).toMatch(/forbids certificates.*fewer -days/)
  await upUnderLoad()
  expect(credentials()).toEqual({ secrets: 2, certificates: [first.der] })
  await configure('certificate', first)
  await upUnderLoad()
  expect(credentials()).toEqual({ secrets: 0, certificates: [first.der] })
})

it('a rotation has an overlap, in which Entra accepts an assertion of the old and one of the new', async () => {
  await configure('certificate', first, second)
  await upUnderLoad(...policies)
  expect([await tryAssertion(first), await tryAssertion(second)]).toEqual([200, 200])
  await configure('certificate', second)
  await upUnderLoad()
  expect([await tryAssertion(first), await tryAssertion(second)]).toEqual([401, 200])
  expect((await stack.drift()).output).toContain('No drift')
})

it('the secrets come back beside the certificate, and then alone', async () => {
  await configure('secret', second)
  expect(await upForbidden('POST', 'addPassword$')).toMatch(/forbids client secrets.*use a certificate/)
  await upUnderLoad()
  expect(credentials()).toEqual({ secrets: 2, certificates: [second.der] })
  await configure('secret')
  await upUnderLoad()
  expect(credentials()).toEqual({ secrets: 2, certificates: [] })
})
