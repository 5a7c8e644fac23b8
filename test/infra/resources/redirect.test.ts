import { Miniflare } from 'miniflare'
import { describe, expect, it } from 'vitest'
import { cannedProvider } from '../../../sandbox/pulumi/engine/canned.ts'
import { asList, asProperties } from '../../../sandbox/pulumi/properties.ts'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { freePort } from '../../../tools/free-port.ts'
import { workerBundle } from '../../../tools/worker.ts'
import { Visitor } from '../../support/visitor.ts'
import { runStack } from '../support/stacks.ts'

describe('the redirect URI', () => {
  it.each(['/auth/callback', '/Angemeldet/%C3%BCber-Entra'])(
    'with the path %s is the same text in the registration, the Worker, the output and on the wire',
    async redirectPath => {
      const expected = `https://people.example.com${redirectPath}`
      const entra = await Entra.start({ redirectUris: [expected] })
      const { instance, graphUrl, tenantId, clientId, clientSecret, users } = entra.description
      const { graph, outputs, succeeded, log } = await runStack({
        config: { redirectPath, instance, graphUrl },
        provider: {
          async create(type, inputs, context) {
            const made = await cannedProvider.create(type, inputs, context)
            const known = type.endsWith(':Application') ? { clientId } : {}
            const secret = type.endsWith(':ApplicationPassword') ? { value: clientSecret } : {}
            return { ...made, outputs: { ...made.outputs, ...known, ...secret } }
          },
          invoke: async (token, args, context) => ({
            ...(await cannedProvider.invoke(token, args, context)),
            tenantId,
          }),
        },
      })
      expect(succeeded, JSON.stringify(log)).toBe(true)
      const inputsOf = (name: string) => graph.resources.find(one => one.name === name)?.inputs ?? {}
      const worker = inputsOf('handler-worker')
      const bindings = Object.fromEntries(
        asList(worker['bindings'])
          .map(asProperties)
          .flatMap(({ name, text }) => (typeof text === 'string' ? [[String(name), text]] : [])),
      )

      // The deployed bundle with exactly the declared bindings.
      const port = await freePort()
      const miniflare = new Miniflare({
        handleRuntimeStdio: (...streams) => {
          for (const stream of streams) stream.resume()
        },
        workers: [
          {
            name: 'handler',
            modules: true,
            scriptPath: workerBundle,
            compatibilityDate: String(worker['compatibilityDate']),
            bindings,
            d1Databases: { EMPLOYEES: 'employees' },
            unsafeDirectSockets: [{ host: '127.0.0.1', port }],
          },
        ],
      })
      try {
        await miniflare.ready
        const visitor = new Visitor(`http://localhost:${port}`, 'https://people.example.com')
        const authorize = await visitor.start()
        const returned = await visitor.visitProvider(authorize, users[0]?.userPrincipalName ?? '')
        // There is no employee table, but by then the handler has redeemed the code.
        expect((await visitor.callback(returned)).status).toBe(503)
        const redeemed = entra.requests.find(({ path }) => path.endsWith('/oauth2/v2.0/token'))

        expect({
          registered: asProperties(inputsOf('sign-in-registration')['web'])['redirectUris'],
          bound: bindings['REDIRECT_URI'],
          output: outputs.value['redirectUri'],
          authorized: authorize.searchParams.get('redirect_uri'),
          redeemed: new URLSearchParams(redeemed?.body ?? '').get('redirect_uri'),
          redeemedStatus: redeemed?.status,
        }).toEqual({
          registered: [expected],
          bound: expected,
          output: expected,
          authorized: expected,
          redeemed: expected,
          redeemedStatus: 200,
        })
      } finally {
        await miniflare.dispose()
        await entra.close()
      }
    },
  )
})
