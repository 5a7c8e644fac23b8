import { describe, expect, it } from 'vitest'
import { handlerSettings } from '../../infra/handler-settings.ts'
import { readSettings } from '../../infra/settings.ts'
import { readSettings as readByHandler } from '../../src/settings/settings.ts'
import { fc, runs } from '../support/random.ts'
import { leastConfig, mintingApiToken, sessionKeys } from './support/stacks.ts'

const now = Date.now()

/** What the handler says to a configuration that the program accepted; null where the program refused it. */
function refusedByHandler(changes: Readonly<Record<string, string>>): readonly string[] | null {
  const given = new Map(Object.entries({ ...leastConfig, sessionKeys, mintingApiToken, ...changes }))
  const reading = readSettings(given, now)
  if ('problems' in reading) return null
  const answered = readByHandler({
    TENANT_ID: '9f3c2d1e-0000-4000-8000-000000000001',
    CLIENT_ID: '9f3c2d1e-0000-4000-8000-000000000002',
    CLIENT_SECRET: 'newer~value,older~value',
    SESSION_KEYS: given.get('sessionKeys')?.trim(),
    ...handlerSettings(reading.settings),
  })
  return answered.kind === 'refused' ? answered.problems : []
}

const hosts = [
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.us',
  'https://login.partner.microsoftonline.cn',
  'https://login.chinacloudapi.cn',
  'https://graph.microsoft.com',
  'https://graph.microsoft.us',
  'https://dod-graph.microsoft.us',
  'https://microsoftgraph.chinacloudapi.cn',
  'https://LOGIN.microsoftonline.us/',
  'http://127.0.0.1:8080',
  'http://127.1',
  'http://[::1]',
]
/** Parts of which values are made that are nearly right. */
const parts: Readonly<Record<string, readonly string[]>> = {
  allowedDomains: [
    'example.com',
    '*',
    'example.c',
    '_a.example.com',
    'xn--a.de',
    '"',
    '[',
    ']',
    '[]',
    'a-.de',
  ],
  allowGuests: ['true', 'false', 'TRUE', '1'],
  instance: hosts,
  graphUrl: hosts,
  redirectPath: ['/', '/auth/callback', '/api/', '//', '/.', '..', '%2e', '?', '#', '\\', '@', ':8443'],
  sessionKeys: [...sessionKeys.split(':'), sessionKeys, ':', '=', 'k2'],
  sessionLifetime: ['8', '08', '1', '60', '10080', 's', 'm', 'h', 'd', 'ms', 'e3', '-'],
  legacyLoginUrl: ['/old', '/', '//', 'https:', 'https://old.example.com', 'user', ':', '@', '\\'],
}
const glue = fc.constantFrom(' ', ',', '\t', '\n', '', '', '\u00a0', '\u200b', '\u0000', 'Ü')
const nearly = (key: string) =>
  fc
    .array(fc.tuple(glue, fc.constantFrom(...(parts[key] ?? []))), { maxLength: 3 })
    .chain(pairs => glue.map(end => pairs.flat().join('') + end))
const valueFor = (key: string) =>
  fc.oneof({ weight: 6, arbitrary: nearly(key) }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) })
const changes = fc
  .uniqueArray(
    fc.constantFrom(...Object.keys(parts)).chain(key => fc.tuple(fc.constant(key), valueFor(key))),
    {
      selector: ([key]) => key,
    },
  )
  .map(entries => Object.fromEntries(entries))

describe('what the program accepts', () => {
  it.each(Object.keys(parts))('for %s the handler accepts, whatever stands there', key => {
    let accepted = 0
    fc.assert(
      fc.property(valueFor(key), value => {
        const refused = refusedByHandler({ [key]: value })
        if (refused !== null) accepted += 1
        expect(refused ?? []).toEqual([])
      }),
      { numRuns: runs(2000) },
    )
    // Refusing everything would prove nothing.
    expect(accepted).toBeGreaterThan(10)
  })

  it('the handler accepts, with several such values together', () => {
    fc.assert(
      fc.property(changes, several => {
        expect(refusedByHandler(several) ?? []).toEqual([])
      }),
      { numRuns: runs(5000) },
    )
  })

  it('for the two addresses are those of one cloud, every pair tried', () => {
    const pairs = hosts.flatMap(instance => hosts.map(graphUrl => ({ instance, graphUrl })))
    const accepted = pairs.filter(pair => refusedByHandler(pair)?.length === 0)
    expect(pairs.filter(pair => (refusedByHandler(pair)?.length ?? 0) > 0)).toEqual([])
    expect(accepted).toContainEqual({
      instance: 'https://login.microsoftonline.us',
      graphUrl: 'https://dod-graph.microsoft.us',
    })
  })
})
