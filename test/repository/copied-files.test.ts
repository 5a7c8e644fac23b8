import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tools/bundle.ts'
import { shellBlocksOf } from '../docs/page.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout
const pages = git('ls-files', '*.md').trim().split('\n')
const blocks = pages.flatMap(page => shellBlocksOf(page).map(({ text }) => ({ page, text })))

interface Network {
  readonly ipam?: {
    readonly config: readonly {
      readonly subnet: string
      readonly gateway?: string
      readonly ip_range?: string
    }[]
  }
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string
        readonly networks?: readonly string[] | Readonly<Record<string, Readonly<Record<string, string>>>>
      }
    >
  >
  readonly networks?: Readonly<Record<string, Network>>
}

describe.each(['updater.yaml', 'protected.yaml'])('docs/compose/%s', file => {
  const { services, networks = {} }: Compose = parse(read(`docs/compose/${file}`), { merge: true })

  it('gives nobody the address that another service asks for', () => {
    for (const [name, { ipam }] of Object.entries(networks)) {
      const fixed = Object.values(services).flatMap(({ networks = [] }) =>
        'length' in networks ? [] : Object.values<string>(networks[name] ?? {}),
      )
      for (const { subnet, gateway, ip_range } of ipam?.config ?? []) {
        const isIn = (range: string) => (address: string) => {
          const [first = '', prefix] = range.split('/')
          const family = isIPv6(first) ? 'ipv6' : 'ipv4'
          const addresses = new BlockList()
          addresses.addSubnet(first, Number(prefix), family)
          return isIPv6(address) === isIPv6(first) && addresses.check(address, family)
        }
        if (!fixed.some(isIn(subnet))) continue
        // Without a gateway in the file, Docker takes the first address of the range for the others.
        const asked = [...fixed, gateway ?? ''].filter(text => text === '' || isIn(subnet)(text))
        expect([name, asked.filter(text => text === '' || isIn(ip_range ?? subnet)(text))]).toEqual([
          name,
          [],
        ])
      }
    }
  })

  it('names each image by its minor version at least', () => {
    for (const { image } of Object.values(services)) expect(image).toMatch(/:(\d+\.\d+|\$\{HOMEPORT_VERSION)/)
  })
})

describe('the commands of the pages', () => {
  it('write nothing into a clone that git would publish', () => {
    const written = blocks.flatMap(({ text }) =>
      [
        ...text.matchAll(/(?:^|[^-&<2=])> *(?<path>[\w./-]+)/gm),
        ...text.matchAll(/\b(?:cp|mv) \S+ (?<path>[\w.][\w./-]*)$/gm),
        ...text.matchAll(/^cp \S+ (?<path>\.env)/gm),
        ...text.matchAll(/\binstall -d -m 700 (?<path>[\w.][\w./-]*)/g),
        ...text.matchAll(/--(?:file|output|settings|ca|hosts)[= ](?<path>[\w.][\w./-]*)/g),
        ...text.matchAll(/_FILE=(?<path>[\w.][\w./-]*)/g),
      ].flatMap(({ groups }) => {
        const path = groups?.['path'] ?? ''
        const isFolder = /^(?:secrets|settings)$/.test(path)
        return /^\/|^(?:tsv|json)$|\.(?:yaml|tar\.gz)$/.test(path)
          ? []
          : [join(text.includes('docker compose') ? 'docs/compose' : '', isFolder ? `${path}/any` : path)]
      }),
    )
    const paths = [...new Set(written)].sort()
    // The secrets that the pages lead to, so that a pattern that finds nothing fails.
    expect(paths).toEqual(
      expect.arrayContaining([
        'docs/compose/.env',
        'docs/compose/secrets/api-token',
        'docs/compose/secrets/client-secret',
        'employees.csv',
        'homeport-prod.sql',
        'homeport.dump',
        'hosts.txt',
        'settings/any',
        'token.txt',
      ]),
    )
    const published = paths.filter(path => git('check-ignore', '--no-index', path) === '')
    expect(published).toEqual([])
    expect(git('ls-files', '--cached', '--ignored', '--exclude-standard')).toBe('')
  })

  it('pass no secret as an argument, which every user of the machine can read', () => {
    const found = blocks.flatMap(({ page, text }) =>
      text
        .replaceAll(/\\\n/g, ' ')
        .split('\n')
        .filter(line =>
          /\b(?:curl|wget)\b.*(?:bearer|token:) *["']?\$|"\$\(cat [^)]*(?:url|token|secret|key)[^)]*\)"|--env \w*(?:TOKEN|SECRET|PASSWORD|KEYS|DATABASE_URL)\b(?!_FILE)/i.test(
            line,
          ),
        )
        .map(line => `${page}: ${line}`),
    )
    expect(found).toEqual([])
  })
})

it.each(['docs/command/homeport.service', 'docs/sign-in/homeport-sign-in.service'])(
  '%s leaves no secret in the dump of a crash',
  unit => expect(read(unit)).toMatch(/^LimitCORE=0$/m),
)
