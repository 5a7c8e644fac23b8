import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Entra } from '../../sandbox/testing/entra.ts'
import { root } from '../../tools/bundle.ts'
import { debianProgram } from '../../tools/debian.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { serverBundle } from '../../tools/server.ts'
import { blocksIn } from '../docs/page.ts'
import { Visitor } from '../support/visitor.ts'
import { loadCompose, readVariables, type Service } from './compose-file.ts'
import { type Container, startContainer, type Unpacked } from './container.ts'

/*
 * Follows docs/containers.md to a protected application, in a network of its own, so that every service has the port and the
 * name that the compose file gives it. `docker` is emulated; PostgreSQL and Caddy are processes. test/images/compose.test.ts
 * starts it with unshare.
 */

const [work = '', described = ''] = process.argv.slice(2)
const image: Unpacked = JSON.parse(readFileSync(described, 'utf8'))
const names = ['database', 'handler', 'application']

execFileSync('ip', ['link', 'set', 'lo', 'up'])
const hosts = join(work, 'hosts')
writeFileSync(hosts, `127.0.0.1 localhost ${names.join(' ')}\n`)
execFileSync('mount', ['--bind', hosts, '/etc/hosts'])

const redirectUri = 'https://localhost/_homeport/auth/callback'
const entra = await Entra.start({ redirectUris: [redirectUri] })
const { tenantId, clientId, clientSecret, instance, graphUrl } = entra.description
const user = { id: '00000000-1111-2222-3333-444444444444', userPrincipalName: 'marlowe@example.com' }
entra.setUsers([{ ...user, mail: user.userPrincipalName, displayName: 'Marlowe' }])

// The commands of the page, in a copy of the folder.
const folder = join(work, 'docs/compose')
cpSync(join(root, 'docs/compose'), folder, { recursive: true })
const bin = join(work, 'bin')
mkdirSync(bin)
const docker = `#!/bin/sh
case "$*" in *" keys new") exec '${process.execPath}' '${serverBundle}' keys new ;; *) echo "$@" >> '${work}/docker' ;; esac`
writeFileSync(join(bin, 'docker'), docker, { mode: 0o755 })
const editor = `sed -i 's/people.example.com/localhost/; s/^TENANT_ID=.*/TENANT_ID=${tenantId}/; s/^CLIENT_ID=.*/CLIENT_ID=${clientId}/' "$1"`
writeFileSync(join(bin, 'editor'), `#!/bin/sh\n${editor}\n`, { mode: 0o755 })
const [commands] = blocksIn('docs/containers.md', '## Protect an application')
const followed = spawnSync('sh', ['-euc', commands?.text ?? 'exit 1'], {
  cwd: folder,
  input: `${clientSecret}\n`,
  encoding: 'utf8',
  env: { PATH: `${bin}:${process.env['PATH']}`, EDITOR: 'editor' },
})
assert.equal(followed.status, 0, followed.stderr)
assert.match(readFileSync(join(work, 'docker'), 'utf8'), /^compose --file protected\.yaml up --detach$/m)

const variables = readVariables(readFileSync(join(folder, '.env'), 'utf8'))
const file = await loadCompose(join(folder, 'protected.yaml'), variables)
const secret = (name: string) => readFileSync(file.secrets[name]?.file ?? '', 'utf8')
const serviceOf = (name: string): Service => file.services[name] as Service
const provider = { INSTANCE: instance, GRAPH_URL: graphUrl }

/** Starts a service of our image as the file says. */
function start(name: string, args?: readonly string[]): Promise<Container> {
  const { command, entrypoint, environment, secrets = [], read_only } = serviceOf(name)
  assert.equal(read_only, true, `${name} can write`)
  const wanted = args ?? command
  return startContainer(image, {
    ...(entrypoint ? { command: [...entrypoint, ...(wanted ?? [])] } : wanted ? { args: wanted } : {}),
    env: { ...environment, ...(name === 'handler' ? provider : {}) },
    secrets: Object.fromEntries(secrets.map(source => [source, secret(source)])),
    files: { '/etc/hosts': hosts },
  })
}

async function complete(name: string, args?: readonly string[]): Promise<void> {
  const container = await start(name, args)
  assert.equal(await container.ended, 0, container.output())
}

const { POSTGRES_USER, POSTGRES_DB = '', POSTGRES_PASSWORD_FILE } = serviceOf('database').environment ?? {}
assert.equal(POSTGRES_PASSWORD_FILE, '/run/secrets/database-password')
const password = secret('database-password').trim()
const postgres = await startPostgres(POSTGRES_USER, undefined, { password, port: 5432 })
await postgres.createDatabase(POSTGRES_DB)
await complete('tables')
await complete('tables', ['employees', 'add', 'marlowe'])

const [handler, application] = [await start('handler'), await start('application')]
const { environment: settings, volumes = [] } = serviceOf('caddy')
assert.ok(volumes.some(volume => volume.split(':')[1] === '/etc/caddy/Caddyfile'))
const configuration = ['--config', join(root, 'docs/proxies/Caddyfile-host'), '--adapter', 'caddyfile']
const caddy = spawn(await debianProgram('caddy'), ['run', ...configuration], {
  env: { ...settings, HOME: work, XDG_DATA_HOME: work, XDG_CONFIG_HOME: work, PATH: bin },
  stdio: ['ignore', 'ignore', 'pipe'],
})
let log = ''
caddy.stderr.on('data', chunk => {
  log += chunk
})
try {
  await handler.wrote('"event":"start"')
  const origin = 'https://localhost'
  const visitor = new Visitor(origin, origin, '/_homeport')
  for (let tries = 0; ; tries += 1) {
    const answers = await visitor.request('/_homeport/').then(
      ({ status }) => status === 200,
      () => false,
    )
    if (answers) break
    assert.ok(tries < 150, `Caddy does not answer:\n${log.slice(-3000)}\n${handler.output()}`)
    await pause(100)
  }
  // As a script; test/proxies shows where a page is sent.
  assert.equal((await visitor.request('/')).status, 401)
  const { body } = await visitor.signIn(user.userPrincipalName)
  assert.equal((body['user'] as { username: string }).username, 'marlowe')
  const page = await visitor.request('/')
  assert.deepEqual([page.status, page.text], [200, 'Hello, marlowe!'])
  for (const container of [handler, application]) {
    await container.signal('SIGTERM')
    assert.equal(await container.ended, 0, container.output())
  }
} finally {
  caddy.kill()
  await once(caddy, 'exit')
  await postgres.close()
  await entra.close()
}
process.stdout.write('The example greeted marlowe.\n')
// A container that a failed step left running ends with this process.
process.exit()
