import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type InputName, inputDefaults, inputNames, secretInputs } from '../../action/inputs/table.ts'
import {
  type SettingName as PushName,
  type PushSettings,
  rows as pushRows,
  readSettings,
} from '../../push/settings.ts'
import { type SettingRow as HandlerRow, table as handlerTable } from '../../src/settings/table.ts'
import { root } from '../../tools/bundle.ts'
import { images } from '../../tools/images/images.ts'
import { inputsOf, problemOf, zone } from '../action/inputs/reading.ts'
import { bundle } from '../support/command.ts'
import { metadata } from '../support/runner.ts'

interface ComposeService {
  readonly image: string
  readonly environment?: Readonly<Record<string, unknown>>
}

/** Values for one thing that the action and the endpoint both take, or both refuse. */
interface Shared {
  readonly input: InputName
  /** What the action makes of a value that it takes. */
  readonly of: (inputs: ReturnType<typeof inputsOf>) => unknown
  /** The same of the endpoint's settings. */
  readonly in: (settings: PushSettings) => unknown
  readonly taken: readonly string[]
  readonly refused: readonly string[]
}

const urls = {
  taken: ['https://ntfy.example/topic', 'http://127.0.0.1:8080/topic?key=1', 'http://[::1]/topic'],
  refused: [
    'http://ntfy.example/topic',
    'https://user:password@ntfy.example/topic',
    'ntfy.example/topic',
    `https://ntfy.example/${'t'.repeat(8192)}`,
  ],
}
const booleans = { taken: ['true', 'False'], refused: ['yes', '1', 'on'] }

/**
 * The one table of names. What the action, its command, the images and the push endpoint all have is called alike: the name of
 * an input, in upper case with `_` in an environment. The rest is the endpoint's own, or the handler's.
 */
const names: Readonly<Record<PushName, Shared | 'own' | 'handler'>> = {
  API_TOKEN: {
    input: 'api-token',
    of: ({ token }) => token,
    in: ({ apiToken }) => apiToken,
    taken: ['x'.repeat(40), `cfut_${'a'.repeat(48)}`],
    refused: [
      'Bearer abc',
      `cfk_${'a'.repeat(48)}`,
      'a'.repeat(37),
      '"quoted"',
      'two words',
      'x'.repeat(8193),
    ],
  },
  ZONE_ID: {
    input: 'zone-id',
    of: ({ targets }) => targets[0]?.zoneId,
    in: ({ zoneId }) => zoneId,
    taken: [zone, zone.toUpperCase()],
    refused: ['example.com', zone.slice(1)],
  },
  TTL: {
    input: 'ttl',
    of: ({ record }) => record.ttl,
    in: ({ ttl }) => ttl,
    taken: ['', '1', '30', '120', '86400'],
    refused: ['0', '2', '29', '86401', '2m', '-1'],
  },
  PROXIED: {
    input: 'proxied',
    of: ({ record }) => record.proxied,
    in: ({ proxied }) => proxied,
    ...booleans,
  },
  CREATE: { input: 'create', of: ({ record }) => record.create, in: ({ create }) => create, ...booleans },
  EXPECTED_CIDR: {
    input: 'expected-cidr',
    of: ({ addressRules }) => addressRules.expectedCidrs,
    in: ({ expectedCidrs }) => expectedCidrs,
    taken: ['', '203.0.113.0/24', '203.0.113.0/24\n198.51.100.0/24', '2001:db8::/32\n203.0.113.0/24'],
    refused: ['203.0.113.7/24', '203.0.113.0/024', '203.0.113.0', '2001:db8::/32'],
  },
  IPV6_SUFFIX: {
    input: 'ipv6-suffix',
    of: ({ addresses }) => addresses.at(-1)?.suffixes.get('home.example.com'),
    in: ({ ipv6Suffix }) => ipv6Suffix,
    taken: ['::1:2:3:4/64', '::5/56'],
    refused: ['::5', '::5/064', '2001:db8::5/64', '::5/129'],
  },
  HEARTBEAT_URL: {
    input: 'heartbeat-url',
    of: ({ heartbeatUrl }) => heartbeatUrl,
    in: ({ heartbeatUrl }) => heartbeatUrl,
    ...urls,
  },
  NOTIFY_URL: {
    input: 'notify-url',
    of: ({ notify }) => notify?.url,
    in: ({ notify }) => notify?.url,
    ...urls,
  },
  NOTIFY_FORMAT: {
    input: 'notify-format',
    of: ({ notify }) => notify?.format,
    in: ({ notify }) => notify?.format,
    taken: ['', 'text', 'json', 'JSON'],
    refused: ['xml', 'true'],
  },
  BASE_URL: {
    input: 'base-url',
    of: ({ baseUrl }) => baseUrl,
    in: ({ baseUrl }) => baseUrl,
    taken: ['', 'https://dns.example', 'https://dns.example/client/v4/', 'http://127.0.0.1:9'],
    refused: [
      'http://dns.example',
      'https://u:p@dns.example',
      'https://dns.example/v4',
      'https://dns.example/?x',
    ],
  },
  HOSTS: 'own',
  QUERY_PASSWORDS: 'own',
  PLAIN_HTTP: 'own',
  TRUSTED_PROXIES: 'handler',
  HOST: 'handler',
  PORT: 'handler',
}

const shared = Object.entries(names).flatMap(([name, entry]) =>
  typeof entry === 'object' ? [{ name, ...entry }] : [],
)

/** Settings of an endpoint for the hostname of `inputsOf`, with one of them changed. */
function settingsOf(name: string, value: string) {
  return readSettings({
    API_TOKEN: 'x'.repeat(40),
    ZONE_ID: zone,
    NOTIFY_URL: 'https://ntfy.example/topic',
    HOSTS: `home.example.com ${name === 'IPV6_SUFFIX' ? 'AAAA' : 'A'} sha256:${'a'.repeat(64)}`,
    [name]: value,
  })
}

/** The same of the action. Its `notify-format` needs a URL. */
const textsOf = (input: InputName, value: string) => ({
  'notify-url': 'https://ntfy.example/topic',
  ...(input === 'ipv6-suffix' ? { 'record-type': 'AAAA' } : {}),
  [input]: value,
})

describe('names of the push endpoint', () => {
  it.each(shared)('$name means what the input $input means', ({ name, input, taken, refused, ...read }) => {
    expect(name).toBe(input.replaceAll('-', '_').toUpperCase())
    for (const value of taken) {
      const settings = settingsOf(name, value)
      if ('problems' in settings) throw new Error(`${name} refused ${value}: ${settings.problems}`)
      // A range has a function, which is never equal to another.
      expect(inspect(read.in(settings.value)), value).toBe(inspect(read.of(inputsOf(textsOf(input, value)))))
    }
    for (const value of refused) {
      expect(settingsOf(name, value), value).toHaveProperty('problems')
      expect(problemOf(textsOf(input, value)).reason, value).toBe('invalid-input')
    }
  })

  it.each(shared)('$name has the default of $input, and is a secret if that is one', ({ name, input }) => {
    const [, row] = pushRows.find(([row]) => row === name) ?? []
    expect(row?.default ?? '').toBe(inputDefaults[input])
    expect(row?.secret ?? false).toBe(secretInputs.includes(input))
  })

  it('that are its own are names of no input, and of no other thing in the handler', () => {
    const handler: Readonly<Record<string, HandlerRow>> = handlerTable
    for (const [name, row] of pushRows) {
      const entry = names[name]
      if (typeof entry === 'object') continue
      expect(inputNames).not.toContain(name.replaceAll('_', '-').toLowerCase())
      expect(name in handler).toBe(entry === 'handler')
      if (entry === 'handler') expect(row.default).toBe(handler[name]?.default)
    }
  })
})

/** Flags that only a command line needs. */
const ownFlags = ['api-token-file', 'config', 'watch', 'once', 'json', 'help', 'version']

describe('names of the command', () => {
  it('are those of the inputs and a few of its own, in its help', () => {
    const help = execFileSync(process.execPath, [bundle, '--help'], { encoding: 'utf8' })
    const flags = [...help.matchAll(/^ {2}(--[a-z0-9-]+)(?:, (--[a-z0-9-]+))?/gm)].flatMap(([, ...found]) =>
      found.filter(Boolean),
    )
    const inputs = Object.keys(metadata.inputs).filter(name => !secretInputs.includes(name as InputName))
    expect(flags.toSorted()).toEqual([...ownFlags, ...inputs].map(name => `--${name}`).toSorted())
  })
})

/** What each image takes from its environment. The command also takes the folder of systemd's credentials. */
const environments: Readonly<Record<string, readonly string[]>> = {
  homeport: [
    'CREDENTIALS_DIRECTORY',
    ...inputNames.map(name => `HOMEPORT_${name.replaceAll('-', '_').toUpperCase()}`),
  ],
  'homeport-sign-in': Object.keys(handlerTable),
  'homeport-push': Object.keys(names),
}

describe('names of the images', () => {
  it.each(images)(
    '$name sets only what its program reads',
    ({ name, environment, arguments: given, port }) => {
      expect(Object.keys(environment).filter(variable => !environments[name]?.includes(variable))).toEqual([])
      if (port !== null) expect(environment['PORT']).toBe(String(port))
      const flags = given.filter(argument => argument.startsWith('--')).map(flag => flag.slice(2))
      expect(flags.filter(flag => ![...ownFlags, ...inputNames].includes(flag))).toEqual([])
    },
  )
})

/** Reads the compose files: the variables that each service sets, and those that .env has to have. */
const composeFiles = ['updater.yaml', 'protected.yaml'].map(file =>
  readFileSync(join(root, 'docs/compose', file), 'utf8'),
)

/** `OWNER` until the first release. */
const owner = /ghcr\.io\/([^/]+)\//.exec(composeFiles.join())?.[1]

describe('names of the compose files', () => {
  it.each(images)('set only what the program of $name reads', ({ name }) => {
    const services = composeFiles.flatMap(text => Object.values<ComposeService>(parse(text).services))
    const ours = services.filter(({ image }) => image.split(':')[0] === `ghcr.io/${owner}/${name}`)
    const set = ours.flatMap(({ environment = {} }) => Object.keys(environment))
    const known = (variable: string) => environments[name]?.includes(variable.replace(/_FILE$/, ''))
    expect(set.filter(variable => !known(variable))).toEqual([])
    if (name !== 'homeport-push') expect(set).not.toEqual([])
  })

  it('are filled from .env by what the same programs call it', () => {
    const example = readFileSync(join(root, 'docs/compose/.env.example'), 'utf8')
    const given = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? '')
    const used = composeFiles.flatMap(text => [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''))
    expect(new Set(given)).toEqual(new Set(used))
    const own = ['HOMEPORT_VERSION', 'PUBLIC_HOST']
    const known = Object.values(environments).flat()
    expect(given.filter(name => !own.includes(name) && !known.includes(name))).toEqual([])
  })
})
