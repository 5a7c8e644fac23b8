import { expect, it, vi } from 'vitest'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { embeddedStack } from '../../support/embedded-stack.ts'
import { Services } from '../../support/engine/services.ts'

const { pem: clientCertificate } = createClientCertificate()

it.each([
  [
    'client secrets',
    { method: 'POST', path: 'addPassword$' },
    0,
    /forbids client secrets.*use a certificate/,
  ],
  // Before it, the provider changes the name of the registration twice.
  ['certificates', { method: 'PATCH', path: '/applications/' }, 2, /forbids certificates.*fewer -days/],
] as const)(
  'up names the tenant’s policy where Graph forbids %s, and the way out',
  async (_, match, skip, said) => {
    await using opened = new AsyncDisposableStack()
    const services = opened.adopt(await Services.start(), started => started.close())
    const stack = opened.adopt(await embeddedStack(services, { clientCertificate }), started =>
      started.close(),
    )
    const error = {
      code: 'CredentialTypeNotAllowedAsPerAppPolicy',
      message: "Credential type not allowed as per assigned policy 'Default app management policy'.",
    }
    services.sandbox.control.setFaults([
      {
        match: { service: 'graph', ...match },
        skip,
        times: null,
        answer: { kind: 'errors', status: 400, errors: [error] },
      },
    ])
    // Outside a run, which a hook in this process is, the SDK writes its log there.
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await expect(stack.up()).rejects.toThrow('CredentialTypeNotAllowedAsPerAppPolicy')
    expect(logged.mock.calls.join()).toMatch(said)
    logged.mockRestore()
    services.sandbox.control.setFaults([])
    await stack.up()
  },
)
