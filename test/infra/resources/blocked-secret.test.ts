import { expect, it, vi } from 'vitest'
import { embeddedStack } from '../../support/embedded-stack.ts'
import { Services } from '../../support/engine/services.ts'

it('up names the tenant’s policy, and the ways without a secret, where Graph forbids one', async () => {
  await using opened = new AsyncDisposableStack()
  const services = opened.adopt(await Services.start(), started => started.close())
  const stack = opened.adopt(await embeddedStack(services), started => started.close())
  const error = {
    code: 'CredentialTypeNotAllowedAsPerAppPolicy',
    message: "Credential type not allowed as per assigned policy 'Default app management policy'.",
  }
  services.sandbox.control.setFaults([
    {
      match: { service: 'graph', method: 'POST', path: 'addPassword$' },
      times: null,
      answer: { kind: 'errors', status: 400, errors: [error] },
    },
  ])
  // Outside a run, which a hook in this process is, the SDK writes its log there.
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await expect(stack.up()).rejects.toThrow('CredentialTypeNotAllowedAsPerAppPolicy')
  expect(logged.mock.calls.join()).toMatch(
    /A policy of the tenant forbids client secrets.*a certificate or a federated token/,
  )
  logged.mockRestore()
  services.sandbox.control.setFaults([])
  await stack.up()
})
