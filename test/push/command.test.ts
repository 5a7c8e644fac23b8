import { spawnSync } from 'node:child_process'
import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { clients } from '../../push/clients.ts'
import { runPushCommand } from '../../push/command.ts'
import { readHosts, writeTypes } from '../../push/hosts.ts'
import { createPassword, hashPassword } from '../../push/passwords.ts'
import { freshBundle, root } from '../../tools/bundle.ts'
import { expectValue } from '../support/expect-value.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { push } from './support.ts'

describe('the command as it ships', () => {
  it('says which Node.js it needs in an older one, which lacks Map.groupBy', () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
    const program = freshBundle('push')
    const ran = spawnSync(process.execPath, ['--import', old, program, 'list'], { encoding: 'utf8', env: {} })
    const stderr = 'error: Homeport needs Node.js 22.3 or newer. This is 20.20.2.\n'
    expect(ran).toMatchObject({ status: 1, stdout: '', stderr })
  })

  it.each([
    ['add', ['add', 'home.example.com'], 0],
    ['check of a service that cannot be reached', ['check'], 1],
    ['a command that does not exist', ['set'], 2],
  ])('ends with the status of its result: %s', (_, args, status) => {
    const env = {
      API_TOKEN: 'x'.repeat(40),
      ZONE_ID: '0'.repeat(32),
      HOSTS: `home.example.com A sha256:${'a'.repeat(64)}`,
      BASE_URL: 'http://127.0.0.1:9',
    }
    expect(spawnSync(process.execPath, [freshBundle('push'), ...args], { env }).status).toBe(status)
  })
})

describe('a password', () => {
  it('has 26 lower-case letters and digits, and never comes twice', () => {
    const passwords = Array.from({ length: 200 }, createPassword)
    for (const password of passwords) expect(password).toMatch(/^[a-z2-7]{26}$/)
    expect(new Set(passwords).size).toBe(200)
    for (const place of [0, 12, 25])
      expect(new Set(passwords.map(password => password[place])).size).toBeGreaterThan(20)
  })

  it('is known by its SHA-256', async () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(await hashPassword('abc')).toBe(abc)
  })
})

describe('the names of the endpoint', () => {
  let folder = ''
  let file = ''
  beforeEach(async () => {
    folder = temporaryFolder()
    file = join(folder, 'hosts.txt')
  })

  const hosts = async () => expectValue(readHosts(await readFile(file, 'utf8')))

  /** Adds a password for names, and returns it with all that was printed. */
  async function add(...args: readonly string[]) {
    const ran = await push(['add', ...args, '--hosts', file])
    expect(ran).toMatchObject({ status: 0, problems: [] })
    const password = /^Password, shown only now: (\S+)$/m.exec(ran.out)?.[1] ?? ''
    return { password, out: ran.out }
  }

  it.each([0o444, 0o640])('stay readable as they were, with the mode %o', async mode => {
    const { password } = await add('home.example.com')
    await chmod(file, mode)
    // As root, the group of the container's user.
    const gid = process.getuid?.() === 0 ? 1000 : (await stat(file)).gid
    await chown(file, (await stat(file)).uid, gid)
    await add('vpn.example.com')
    expect((await stat(file)).mode & 0o777).toBe(mode)
    expect((await stat(file)).gid).toBe(gid)
    expect((await push(['remove', 'vpn.example.com', '--hosts', file])).status).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(mode)
    expect((await hosts())[0]?.hashes).toEqual([await hashPassword(password)])
    expect(await readdir(folder)).toEqual(['hosts.txt'])
  })

  it('are written to the file that a link leads to, and past no link that somebody put beside it', async () => {
    const [link, other] = [join(folder, 'link.txt'), join(folder, 'other')]
    await writeFile(file, '')
    await writeFile(other, 'mine')
    await symlink(file, link)
    await symlink(other, `${file}.${process.pid}`)
    expect(await push(['add', 'home.example.com', '--hosts', link])).toMatchObject({ status: 0 })
    expect(await hosts()).toMatchObject([{ name: 'home.example.com' }])
    expect(await readFile(other, 'utf8')).toBe('mine')
  })

  it('are added with a password that only the output has', async () => {
    const { password } = await add('Home.Example.com', 'vpn.example.com', '--types', 'AAAA,A')
    const hash = await hashPassword(password)
    expect(await hosts()).toEqual([
      { name: 'home.example.com', types: ['A', 'AAAA'], hashes: [hash] },
      { name: 'vpn.example.com', types: ['A', 'AAAA'], hashes: [hash] },
    ])
    expect(await readFile(file, 'utf8')).not.toContain(password)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('are added with a host part, which the next passwords keep', async () => {
    await add('nas.example.com', '--suffix', '::211:32ff:fe12:3456/64')
    await add('nas.example.com')
    const [nas] = await hosts()
    expect(nas).toMatchObject({ types: ['AAAA'], suffix: { host: '::211:32ff:fe12:3456', prefixLength: 64 } })
    await add('home.example.com')
    await add('home.example.com', '--suffix', '::7/56')
    expect((await push(['list', '--hosts', file])).out).toBe(
      'nas.example.com\tAAAA=::211:32ff:fe12:3456/64\t2\nhome.example.com\tA,AAAA=::7/56\t2',
    )
    await add('home.example.com', '--types', 'A')
    expect((await hosts())[1]).not.toHaveProperty('suffix')
  })

  it('are added with one password and a host part for each', async () => {
    const nas = '--suffix=nas.example.com=::7/64'
    const cam = '--suffix=Cam.example.com=::8/64'
    await add('home.example.com', 'nas.example.com', 'cam.example.com', nas, cam)
    const added = await hosts()
    expect(added.map(host => [writeTypes(host), ...host.hashes])).toEqual(
      ['A', 'AAAA=::7/64', 'AAAA=::8/64'].map(types => [types, ...(added[0]?.hashes ?? [])]),
    )
  })

  it('are at most fifty, and come with how many fit into a ping and a secret', async () => {
    const names = Array.from({ length: 50 }, (_, number) => `n${number}.office.example.com`)
    const few = await add(...names.slice(0, 20), '--types', 'A,AAAA')
    expect(few.out).toContain('\nAll names fit into one ping. A change of all its names takes 42 requests,')
    expect(few.out).not.toContain('bytes')
    const { out } = await add(...names, '--types', 'A,AAAA')
    expect(out).toMatch(/\n20 of 50 names fit into one ping, so send 3\. .* 42 requests, .*\nThe lines have /)
    const problems = [expect.stringContaining('HOSTS has 51 names, and the limit is 50.')]
    expect(await push(['add', 'x.example.com', '--hosts', file])).toEqual({ status: 2, out: '', problems })
    expect(await hosts()).toHaveLength(50)
  })

  it('come with the names that are listed, which can get the same password', async () => {
    expect((await add('home.example.com')).out).not.toContain('one password')
    const { out } = await add('cam.example.com', '--suffix=::c/64')
    expect(out).toMatch(/^A ping has one password\..* together: home\.example\.com cam\.example\.com$/m)
    await add('cam.example.com', 'home.example.com')
    const [one, other] = await hosts()
    expect(one?.hashes[0]).toBe(other?.hashes[0])
    expect((await hosts()).map(writeTypes)).toEqual(['A', 'AAAA=::c/64'])
  })

  it('keep their last password until the next one, and their types', async () => {
    const first = await add('home.example.com', '--types', 'AAAA')
    const second = await add('home.example.com')
    const hashes = await Promise.all([second, first].map(({ password }) => hashPassword(password)))
    expect(await hosts()).toEqual([{ name: 'home.example.com', types: ['AAAA'], hashes }])
    const third = await add('home.example.com')
    expect((await hosts())[0]?.hashes).toEqual([await hashPassword(third.password), hashes[0]])
    expect(await push(['list', '--hosts', file])).toMatchObject({
      status: 0,
      out: 'home.example.com\tAAAA\t2',
    })
    expect((await push(['remove', 'home.example.com', '--old', '--hosts', file])).status).toBe(0)
    expect((await hosts())[0]?.hashes).toEqual([await hashPassword(third.password)])
  })

  it('are removed one by one', async () => {
    await add('home.example.com', 'vpn.example.com')
    expect((await push(['remove', 'home.example.com'], { HOSTS_FILE: file })).status).toBe(0)
    expect((await hosts()).map(({ name }) => name)).toEqual(['vpn.example.com'])
    expect(await push(['remove', 'home.example.com', '--hosts', file])).toMatchObject({
      status: 1,
      problems: ['home.example.com is not listed.'],
    })
  })

  it('are printed for HOSTS if they are in no file', async () => {
    const HOSTS = `vpn.example.com A sha256:${'b'.repeat(64)}`
    const { out } = await push(['add', 'home.example.com'], { HOSTS })
    expect(out).toMatch(new RegExp(`^HOSTS\\n${HOSTS}\\nhome\\.example\\.com A sha256:[0-9a-f]{64}$`, 'm'))
  })

  it('come with ready lines for every client, with the password where it is entered', async () => {
    const { password, out } = await add('home.example.com', '--url', 'https://push.example.com/nic/update')
    for (const { name } of clients) {
      const [, lines = ''] = new RegExp(`^${name}\\n((?: {2}.*\\n?)+)`, 'm').exec(out) ?? []
      for (const part of [password, 'home.example.com', 'push.example.com'])
        expect(lines, name).toContain(part)
    }
    // Logs of proxies and servers have the query of a request.
    expect(out).not.toMatch(new RegExp(`[?&][^ ]*${password}`))
  })

  it.each([
    ['MikroTik RouterOS 6 and 7', 'update\\3Fhostname=home.example.com&myip=" . $address)'],
    ['ASUS with Asuswrt-Merlin', 'update?hostname=home.example.com&myip=$1"'],
    [
      'TP-Link Omada gateway',
      'https://[USERNAME]:[PASSWORD]@push.example.com/nic/update?hostname=[DOMAIN]&myip=[IP]',
    ],
    // Its client appends the name.
    ['DD-WRT', '/nic/update?hostname=\n'],
    ['Zyxel USG, ATP', '--dyndns_system dyndns@dyndns.org'],
    ['Telekom Speedport', 'Updateserver-Adresse push.example.com\n'],
  ])('come with the lines of %s', async (name, part) => {
    const { out } = await add('home.example.com', '--url', 'https://push.example.com')
    expect(out.slice(out.indexOf(`\n${name}\n`)).split('\n\n')[0]).toContain(part)
  })

  it('come with the lines that docs/router.md shows', async () => {
    const page = await readFile(join(root, 'docs/router.md'), 'utf8')
    const account = { endpoint: 'ENDPOINT', hostnames: ['home.example.com'], password: 'PASSWORD' }
    const routers = page.slice(page.indexOf('## Routers'))
    for (const { name, lines } of clients) {
      expect(routers).toContain(name)
      const section = new RegExp(`### ${name}\\n(.*?)\\n##`, 's').exec(routers)?.[1]
      for (const [, label, value] of lines(account)
        .join('\n')
        .matchAll(/^(\S.*?) {2,}(.+)$/gm))
        if (section) expect(section).toContain(`| **${label}** | \`${value}\` |`)
    }
  })

  it('come with lines for several names that their client can use', async () => {
    const { out } = await add('home.example.com', 'vpn.example.com', 'Home.example.com')
    // pfSense compares the whole answer with the text to match, so a second line of it would be an error.
    for (const name of ['home', 'vpn']) expect(out).toContain(`hostname=${name}.example.com&myip=%IP%\n`)
    expect(out).toContain('hostname    = { "home.example.com", "vpn.example.com" }\n')
    expect((await add('www.example.com')).out).toContain('hostname    = www.example.com\n')
    // OpenWrt ends if the domain has a comma.
    expect(out).toContain("domain='home.example.com'\n")
    expect(out).toContain('hostname=home.example.com,vpn.example.com&myip=[IP]')
    // ddclient takes them in a line of its own.
    expect(out).toContain('\n  home.example.com,vpn.example.com\n')
  })

  it('with a host part come with lines of the clients that can keep them, and the others are named', async () => {
    const { out } = await add('home.example.com', 'nas.example.com', '--suffix=nas.example.com=::7/64')
    const linesOf = (name: string) => out.slice(out.indexOf(`\n${name}\n`)).split('\n\n')[0]
    expect(linesOf('FRITZ!Box')).toContain('home.example.com,nas.example.com\n')
    expect(linesOf('UniFi gateway')).not.toContain('nas.')
    expect(linesOf('pfSense')).toMatch(/hostname=home.example.com&.*"Custom \(v6\)".*=nas.example.com&/s)
    expect(linesOf('OPNsense')).toMatch(/ home.example.com\n.*"Interface \[IPv6\]".* nas.example.com\n/s)
    expect(linesOf('OpenWrt')).toMatch(/=home.example.com&.*homeport6.use_ipv6='1'.*=nas.example.com&/s)
    expect(out).toContain(
      'only FRITZ!Box, OPNsense, pfSense and OpenWrt keep the AAAA records of nas.example.com.',
    )
    const alone = await add('nas.example.com', '--suffix=::7/64')
    const printed = clients.filter(({ name }) => alone.out.includes(`\n${name}\n`))
    expect(printed.map(({ name }) => name)).toEqual(['FRITZ!Box', 'OPNsense', 'pfSense', 'OpenWrt'])
  })

  it.each([
    [[], 'Give a command.'],
    [['serves'], 'There is no command "serves".'],
    [['add'], '`add` needs a HOSTNAME.'],
    [['remove', 'a.example.com', 'b.example.com'], '`remove` takes only a HOSTNAME.'],
    [['list', '--old'], '`list` takes no --old.'],
    [['add', '*.example.com'], 'HOSTNAME has the wildcard "*.example.com". Name each host.'],
    [['add', 'home.example.com', '--types', 'MX'], '--types has other types. Use A, AAAA or A,AAAA.'],
    [['add', 'a.example.com', '--suffix', '2a00::1/64'], '--suffix "2a00::1/64" has bits inside its prefix'],
    [['add', 'a.example.com', '--suffix', '2a00::211:32ff:fe12:3456/64'], 'Use ::211:32ff:fe12:3456/64.'],
    [['add', 'a.example.com', '--suffix', '2a00::211:32ff:fe12:3456'], 'Use ::211:32ff:fe12:3456/64.'],
    [['add', 'a.example.com', '--suffix', '::7/64', '--types', 'A'], '--suffix is for AAAA records.'],
    [
      ['add', 'a.example.com', 'b.example.com', '--suffix', '::7/64'],
      '--suffix "::7/64" is for several names.',
    ],
    [
      ['add', 'a.example.com', '--suffix', 'b.example.com=::7/64'],
      '--suffix "::7/64" is for "b.example.com", which is not',
    ],
    [
      ['add', 'a.example.com', '--suffix', '::7/64', '--suffix', 'A.example.com=::8/64'],
      '--suffix has two host parts for a.example.com.',
    ],
    [['add', 'a.example.com', '--suffix', '2a00::7/65'], 'has 1 to 64. Use ::7/64.'],
    [['check', '--url', 'push.example.com'], '--url is "push.example.com".'],
    [['add', 'a.example.com', '--url', 'https://push.example.com/dyn'], '--url has "/dyn".'],
    [['add', 'a.example.com', '--url', 'https://u:p@push.example.com'], '--url has a user name'],
    [['add', 'a.example.com', '--url', 'https://push.example.com/?a=b'], '--url has "/?a=b".'],
  ])('are left alone by %j', async (args, problem) => {
    const { status, out, problems } = await push(args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(problems.join()).toContain(problem)
    expect(problems.join()).toContain('Run `npm run push -- --help` for help.')
  })

  it('are left alone if their file is wrong or cannot be read', async () => {
    await writeFile(file, 'home.example.com\n')
    expect(await push(['add', 'vpn.example.com', '--hosts', file])).toMatchObject({
      status: 2,
      problems: [expect.stringContaining('HOSTS line 1 is not a name, types and hashes')],
    })
    expect(await readFile(file, 'utf8')).toBe('home.example.com\n')
    for (const [path, code] of [
      [folder, 'EISDIR'],
      [join(folder, 'none'), 'ENOENT'],
    ] as const)
      expect(await push(['list', '--hosts', path])).toMatchObject({
        status: 2,
        problems: [expect.stringContaining(`cannot be read (${code})`)],
      })
    // The password would be of no use.
    expect(await push(['add', 'vpn.example.com', '--hosts', join(folder, 'none', 'hosts.txt')])).toEqual({
      status: 2,
      out: '',
      problems: [expect.stringContaining('cannot be used (ENOENT)')],
    })
  })
})

it('push -h names every command, and serve serves', async () => {
  const { status, out } = await push(['-h'])
  expect(status).toBe(0)
  for (const command of ['serve', 'check', 'add', 'list', 'remove'])
    expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  expect(await push(['serve'])).toEqual({ status: null, out: 'serving', problems: [] })
})

it('a bug is no problem of a file, and is not told as one', async () => {
  const serve = () => Promise.reject(new TypeError('a bug'))
  const run = runPushCommand(['serve'], { env: {}, line: () => {}, problem: () => {}, serve })
  await expect(run).rejects.toThrow('a bug')
})
