import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { commandInputs, helpText } from '../../../action/inputs/command.ts'
import type { Environment } from '../../../action/inputs/given.ts'
import { readInputs } from '../../../action/inputs/inputs.ts'
import { type InputName, inputNames, inputs, secretInputs } from '../../../action/inputs/table.ts'
import { nameSettings, setting } from '../../../action/setting-names.ts'
import { misspelled } from '../../../lib/near-names.ts'
import { enterableFolder } from '../../support/temporary-folder.ts'

// The names of settings belong to the process, and the next file of tests runs in it, too.
afterEach(() => nameSettings(name => name))

const problemsOf = (env: Environment, args: readonly string[] = []) => commandInputs(args, env).given.problems

describe('a variable of the command', () => {
  it('never stops it if docs/deploy.md exports it', () => {
    const page = readFileSync(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
    const names = new Set(page.match(/\bHOMEPORT_[A-Z_]+/g))
    expect([...names]).toEqual(
      expect.arrayContaining(['HOMEPORT_ORIGIN', 'HOMEPORT_DOMAIN', 'HOMEPORT_GRAPH_TOKEN']),
    )
    expect(problemsOf(Object.fromEntries([...names].map(name => [name, 'x'])))).toEqual([])
  })

  it.each([
    // What Kubernetes sets for a service called homeport (kubernetes.io, "Service": environment variables).
    ['HOMEPORT_ZONE_SERVICE_PORT', '8080'],
    ['HOMEPORT_APITOKEN_OLD', 'x'],
  ])('is left alone if it belongs to something else: %s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([])
  })

  it('is refused if it is nearly one of ours, and ours is missing', () => {
    const misspelt = { HOMEPORT_ZONEID: 'x' }
    const refusal = [
      '"HOMEPORT_ZONEID" is not a variable of Homeport, and HOMEPORT_ZONE_ID is not set. Use HOMEPORT_ZONE_ID, or remove the other.',
    ]
    expect(problemsOf(misspelt)).toEqual(refusal)
    expect(problemsOf({ ...misspelt, HOMEPORT_ZONE_ID: ' ' })).toEqual(refusal)
    expect(problemsOf({ ...misspelt, HOMEPORT_ZONE_ID: 'y' })).toEqual([])
    expect(problemsOf(misspelt, ['--zone-id', 'y'])).toEqual([])
    expect(problemsOf({ HOMEPORT_WATCH: '5m' })).toEqual([
      'HOMEPORT_WATCH is not a variable of Homeport. Use the flag --watch.',
    ])
  })
})

describe('a flag', () => {
  const textOf = (name: InputName, ...args: string[]) => {
    const { given } = commandInputs(args, {})
    expect(given.problems).toEqual([])
    return given.texts[name]
  }

  it('takes the next argument or what follows =, and adds a line if it is repeated', () => {
    expect(textOf('hostname', '--hostname', 'a.example.com', '--hostname=b.example.com')).toBe(
      'a.example.com\nb.example.com',
    )
    expect(textOf('ttl', '--ttl', '-5')).toBe('-5')
    expect(textOf('zone-id', '--zone-id', '--zone-id')).toBe('--zone-id')
    expect(textOf('expected-cidr', '--expected-cidr=a=b')).toBe('a=b')
  })

  it('comes before its variable, in which commas separate the items of a list', () => {
    const env = {
      HOMEPORT_API_TOKEN: 'x'.repeat(40),
      HOMEPORT_HOSTNAME: 'a.example.com, b.example.com',
      HOMEPORT_TTL: '400',
    }
    const reading = readInputs(commandInputs(['--ttl=600'], env).given, {})
    expect(reading).toMatchObject({
      value: {
        targets: [{ hostname: 'a.example.com' }, { hostname: 'b.example.com' }],
        record: { ttl: 600 },
      },
    })
  })

  it('that is true or false needs no value', () => {
    expect(textOf('create', '--create')).toBe('true')
    expect(textOf('create', '--create=false')).toBe('false')
    expect(textOf('create')).toBeUndefined()
    expect(textOf('proxied', '--proxied')).toBe('true')
  })

  it.each([
    [
      ['run', 'now'],
      [/^"run" is not a flag\. Flags/, /^"now" is not a flag\./],
    ],
    [['-vx'], [/^"-vx" is not a flag\./]],
    [
      ['--hostnam', 'home.example.com', '--ttl'],
      [/Did you mean --hostname/, /^--ttl has no value/],
    ],
    [
      ['--json=yes', '--version=1', '--watch='],
      [/^--json takes no value\. Remove ="yes"/, /^--version takes/, /^--watch has no value/],
    ],
    [
      ['--__proto__', 'x', '--constructor=x'],
      [/^"--__proto__" is not a flag/, /^"--constructor"/],
    ],
  ])('is refused, with every problem at once: %j', (args, problems) => {
    expect(problemsOf({}, args)).toEqual(problems.map(problem => expect.stringMatching(problem)))
  })

  it.each([['--api-token', '-cfut_secret'], ['--api-token=cfut_secret'], ['--apitoken', 'cfut_secret']])(
    'never shows a secret: %s',
    (...args) => {
      const [problem, ...others] = problemsOf({}, args)
      expect(problem).toMatch(/is not a flag/)
      expect(problem).not.toContain('cfut_')
      expect(others).toEqual([])
    },
  )
})

it('reports one wrong input once', () => {
  const problemsIn = (args: readonly string[]) => {
    const reading = readInputs(commandInputs(args, {}).given, {})
    return 'problem' in reading ? reading.problem.message.split('\n') : []
  }
  expect(problemsIn(['--hostname', 'home.example.com', '--api-token', 'x'])).toEqual([
    expect.stringMatching(/^--api-token is not a flag/),
  ])
  const given = ['--api-token=x', '--record-type', 'AAAA', '--hostname', 'home_', '--ipv6-suffix']
  for (const suffix of ['::1/64', 'home_ ::1/64']) {
    expect(problemsIn([...given, suffix])).toEqual([
      expect.stringMatching(/^--api-token is not/),
      expect.stringMatching(/^--hostname has "home_", which does not start with a fully qualified name/),
    ])
  }
})

describe('a message of the command', () => {
  const problemIn = (args: readonly string[], env: Environment = {}) => {
    const reading = readInputs(commandInputs(args, { HOMEPORT_API_TOKEN: 'x'.repeat(40), ...env }).given, {})
    return 'problem' in reading ? reading.problem.message : ''
  }

  it('names the flag or the variable that was used', () => {
    expect(problemIn(['--hostname', 'home', '--ttl=0'])).toMatch(
      /^--hostname has "home", .*\n--ttl is "0"\. /,
    )
    expect(problemIn(['--ttl=90'], { HOMEPORT_HOSTNAME: 'home' })).toMatch(/^HOMEPORT_HOSTNAME has "home", /)
    expect(problemIn([])).toMatch(/^--hostname is missing/)
    expect(problemIn([], { HOMEPORT_TTL: '90' })).toMatch(/^HOMEPORT_HOSTNAME is missing/)
    expect(problemIn(['--hostname', 'home.example.com', '--name-servers', 'ns1.example.net'])).toBe(
      '--name-servers is only used with --verify dns. Set that too, or remove it.',
    )
  })

  it('says how to set another one', () => {
    const write = (args: readonly string[], env: Environment = {}) => {
      problemIn(args, env)
      return [setting('create', 'true'), setting('verify', 'dns'), setting('api-token')]
    }
    expect(write(['--ttl=90'])).toEqual(['--create', '--verify dns', 'api-token'])
    expect(write([], { HOMEPORT_TTL: '90' })).toEqual([
      'HOMEPORT_CREATE=true',
      'HOMEPORT_VERIFY=dns',
      'api-token',
    ])
  })
})

it('warns of a token file that every user of the host can read', () => {
  const file = join(enterableFolder(), 'token')
  writeFileSync(file, 'x'.repeat(40))
  const warningsFor = (mode: number) => {
    chmodSync(file, mode)
    return commandInputs(['--api-token-file', file], {}).given.warnings
  }
  expect(warningsFor(0o644)).toEqual([expect.stringMatching(/^api-token-file: .* Run chmod 600 on it, /)])
  expect(warningsFor(0o600)).toEqual([])
})

it('takes a credential of systemd if its variable is blank', () => {
  const folder = enterableFolder()
  const url = 'https://monitor.example/6f1d2c9a'
  writeFileSync(join(folder, 'api-token'), 'x'.repeat(40))
  writeFileSync(join(folder, 'heartbeat-url'), url)
  const blank = { HOMEPORT_API_TOKEN: '', HOMEPORT_HEARTBEAT_URL: ' ' }
  const { texts } = commandInputs([], { ...blank, CREDENTIALS_DIRECTORY: folder }).given
  expect(texts).toMatchObject({ 'api-token': 'x'.repeat(40), 'heartbeat-url': url })
})

it('refuses a token file of more than 8 KiB, without reading on', () => {
  const folder = enterableFolder()
  writeFileSync(join(folder, 'api-token'), 'x'.repeat(8193))
  const refusal = [
    expect.stringMatching(/^(api-token-file|CREDENTIALS_DIRECTORY): ".+" has more than 8 KiB\./),
  ]
  expect(problemsOf({}, ['--api-token-file', '/dev/zero'])).toEqual(refusal)
  expect(problemsOf({ CREDENTIALS_DIRECTORY: folder })).toEqual(refusal)
})

it('explains every flag in its help, on lines of at most 120 characters', () => {
  const help = helpText()
  for (const name of inputNames.filter(name => !secretInputs.includes(name))) {
    const [, words = ''] = new RegExp(`^  --${name} (.*)$`, 'm').exec(help) ?? []
    expect(words).toMatch(/ {2,}\S+( \S+)+$/)
    const { value = '', default: standard } = inputs[name]
    expect(words).toContain(value)
    if (standard && standard !== 'false') expect(words).toContain(`(default: ${standard})`)
  }
  expect(help).not.toContain('--api-token ')
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
})

it('advises nobody to pass another secret, or another short name', () => {
  expect(misspelled('tls', inputNames)).toBeNull()
  expect(misspelled('tt', inputNames)).toBe('ttl')
  const names = [...inputNames, '--api-token-file']
  for (const name of ['graph_token', 'app-token', 'api-secret', 'heartbeat-key', '--graph-token-file']) {
    expect(misspelled(name, names)).toBeNull()
  }
  expect(misspelled('APITOKEN', names)).toBe('api-token')
})
