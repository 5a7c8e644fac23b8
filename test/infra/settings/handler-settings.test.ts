import { describe, expect, it } from 'vitest'
import { asList, asProperties, text } from '../../../sandbox/pulumi/properties.ts'
import { readSettings } from '../../../src/settings/settings.ts'
import { daysAgo } from '../../support/configuration.ts'
import { runStack, type StackOptions } from '../support/stacks.ts'

/** Runs the program and gives the bindings that it declares to the handler's own reader. */
async function readByHandler(config: StackOptions['config'] = {}) {
  const { graph, log } = await runStack({ config })
  const worker = graph.resources.find(({ name }) => name === 'handler-worker')
  const bindings = asList(worker?.inputs['bindings']).map(asProperties)
  const reading = readSettings(Object.fromEntries(bindings.map(one => [text(one['name']), one['text']])))
  return { ...reading, messages: log.map(({ message }) => message).join('\n') }
}

describe('the bindings that the program declares', () => {
  it('are all that the handler needs', async () => {
    expect(await readByHandler()).toMatchObject({
      value: {
        redirectUris: ['https://people.example.com/auth/callback'],
        requireState: true,
        allowedDomains: ['example.com'],
        allowGuests: false,
        bindOnFirstUse: 'employees',
        graphUrl: 'https://graph.microsoft.com',
        sessionLifetimeMs: 8 * 3_600_000,
        sessionIdleMs: null,
        sessionKeys: [{ kid: 'k1' }],
        clientSecretEnds: [170, 120].map(days => Date.parse(daysAgo(-days))),
      },
      messages: '',
    })
  })

  it('carry every value that an operator sets', async () => {
    const config = {
      redirectPath: '/signed-in',
      allowedDomains: '["Example.com", "example.org"]',
      allowGuests: 'True',
      bindOnFirstUse: 'nobody',
      instance: 'https://login.microsoftonline.us/',
      graphUrl: 'https://dod-graph.microsoft.us',
      sessionLifetime: '90m',
      sessionIdle: '30m',
      requireState: 'false',
      legacyLoginUrl: 'https://old.example.com',
      afterSignInUrl: '/timesheets/?view=week',
      appName: 'Timesheets & leave',
      logoutAtProvider: 'TRUE',
    }
    const reading = await readByHandler(config)
    expect(reading).toMatchObject({
      value: {
        redirectUris: ['https://people.example.com/signed-in'],
        allowedDomains: ['example.com', 'example.org'],
        allowGuests: true,
        bindOnFirstUse: 'nobody',
        instance: 'https://login.microsoftonline.us',
        graphUrl: 'https://dod-graph.microsoft.us',
        sessionLifetimeMs: 90 * 60_000,
        sessionIdleMs: 30 * 60_000,
        requireState: false,
        legacyLoginUrl: 'https://old.example.com/',
        afterSignInUrl: '/timesheets/?view=week',
        appName: 'Timesheets & leave',
        logoutAtProvider: true,
      },
    })
    expect('value' in reading && reading.value.clientSecrets).toHaveLength(2)
    expect(reading.messages).toContain('requireState is false, so the handler accepts a callback')
  })

  it.each([
    ['any domain', { allowedDomains: '*' }, { allowedDomains: null }],
    [
      "a cloud's own Graph address",
      { instance: 'https://login.chinacloudapi.cn' },
      { graphUrl: 'https://microsoftgraph.chinacloudapi.cn' },
    ],
  ])('leave %s to the handler', async (_, config, settings) => {
    expect(await readByHandler(config)).toMatchObject({ value: settings })
  })
})
