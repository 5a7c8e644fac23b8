import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import grpc from '@grpc/grpc-js'
import services from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/provider_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Properties } from '../../../../sandbox/pulumi/properties.ts'
import { decodeProperties, encode, unknownValue } from '../../../../sandbox/pulumi/wire.ts'
import { useServices } from './services.ts'

const fixture = useServices()
const bin = join(import.meta.dirname, '../../../../sandbox/pulumi/plugins/bin')
const recordUrn = 'urn:pulumi:dev::p::pkg:c:Parent$cloudflare:index/dnsRecord:DnsRecord::name'
const secretMark = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' }

let child: ChildProcess
let client: InstanceType<typeof services.ResourceProviderClient>

const { PATH, NODE_COMPILE_CACHE } = process.env

async function start(name: string): Promise<{ child: ChildProcess; port: string }> {
  const started = spawn(process.execPath, [join(bin, `pulumi-resource-${name}`), 'engine:1'], {
    env: { ...fixture().environment, PATH, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(started.stdout ?? process.stdin, 'data')) as [Buffer]
  return { child: started, port: line.toString('utf8').trim() }
}

beforeAll(async () => {
  const started = await start('cloudflare')
  child = started.child
  const channel = grpc.credentials.createInsecure()
  client = new services.ResourceProviderClient(`127.0.0.1:${started.port}`, channel)
})
afterAll(() => {
  client.close()
  child.kill()
})

/** Turns a call of the generated client into a promise. */
const call = <Response>(
  begin: (done: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    begin((error, response) => (error ? reject(error) : resolve(response)))
  })

it('refuses to work before it is configured', async () => {
  const request = new messages.CheckRequest().setUrn(recordUrn).setNews(encode({}))
  await expect(call(done => client.check(request, done))).rejects.toThrow(/not configured/)
})

it('leaves secrets to the engine, supports previews, and reports its version', async () => {
  const handshake = await call<InstanceType<typeof messages.ProviderHandshakeResponse>>(done =>
    client.handshake(new messages.ProviderHandshakeRequest(), done),
  )
  expect(handshake.getAcceptSecrets()).toBe(false)
  const info = await call<{ getVersion(): string }>(done => client.getPluginInfo(new empty.Empty(), done))
  expect(info.getVersion()).toMatch(/^\d+\.\d+\.\d+$/)
  const request = new messages.ConfigureRequest().setArgs(encode({}))
  const configured = await call<InstanceType<typeof messages.ConfigureResponse>>(done =>
    client.configure(request, done),
  )
  expect([configured.getAcceptsecrets(), configured.getSupportspreview()]).toEqual([false, true])
})

it('checks settings, and reports whether they changed', async () => {
  const check = new messages.CheckRequest().setNews(encode({ apiToken: { ...secretMark, value: 'short' } }))
  const checked = await call<InstanceType<typeof messages.CheckResponse>>(done =>
    client.checkConfig(check, done),
  )
  expect(checked.getFailuresList().map(failure => failure.getProperty())).toEqual(['apiToken'])
  // The mark stays, or the engine would store the value in plain text.
  expect(checked.getInputs()?.toJavaScript()).toEqual({ apiToken: { ...secretMark, value: 'short' } })
  const diff = new messages.DiffRequest()
    .setOldInputs(encode({ baseUrl: 'http://one' }))
    .setNews(encode({ baseUrl: 'http://other' }))
  const differs = await call<InstanceType<typeof messages.DiffResponse>>(done =>
    client.diffConfig(diff, done),
  )
  expect([differs.getChanges(), differs.getReplacesList()]).toEqual([
    messages.DiffResponse.DiffChanges.DIFF_SOME,
    [],
  ])
})

it('marks unknown outputs in a preview, and sends no request', async () => {
  await fixture().forget()
  const request = new messages.CreateRequest()
    .setUrn(recordUrn)
    .setPreview(true)
    .setProperties(encode({ name: 'a.example.com', content: unknownValue }))
  const previewed = await call<InstanceType<typeof messages.CreateResponse>>(done =>
    client.create(request, done),
  )
  expect(decodeProperties(previewed.getProperties()).value).toMatchObject({
    name: 'a.example.com',
    content: unknownValue,
    createdOn: unknownValue,
  })
  expect(await fixture().requests()).toEqual([])
})

it('creates, reads with refreshed inputs, compares, updates and deletes', async () => {
  const { zoneId } = fixture().sandbox.description.cloudflare
  const inputs: Properties = { zoneId, name: 'plugin.example.com', type: 'A', content: '192.0.2.1', ttl: 120 }
  const create = new messages.CreateRequest().setUrn(recordUrn).setProperties(encode(inputs))
  const made = await call<InstanceType<typeof messages.CreateResponse>>(done => client.create(create, done))
  const id = made.getId()

  const read = new messages.ReadRequest()
    .setId(id)
    .setUrn(recordUrn)
    .setInputs(encode({ ...inputs, content: '198.51.100.1' }))
    .setProperties(made.getProperties() ?? encode({}))
  const found = await call<InstanceType<typeof messages.ReadResponse>>(done => client.read(read, done))
  expect(decodeProperties(found.getInputs()).value).toEqual(inputs)

  const now = { ...inputs, ttl: 300 }
  const diff = new messages.DiffRequest()
    .setId(id)
    .setUrn(recordUrn)
    .setOldInputs(encode(inputs))
    .setNews(encode(now))
  const differs = await call<InstanceType<typeof messages.DiffResponse>>(done => client.diff(diff, done))
  expect([differs.getDiffsList(), differs.getReplacesList()]).toEqual([['ttl'], []])

  const update = new messages.UpdateRequest()
    .setId(id)
    .setUrn(recordUrn)
    .setOlds(made.getProperties() ?? encode({}))
    .setOldInputs(encode(inputs))
    .setNews(encode(now))
  const planned = await call<InstanceType<typeof messages.UpdateResponse>>(done =>
    client.update(update.clone().setPreview(true), done),
  )
  expect(decodeProperties(planned.getProperties()).value).toMatchObject({ ttl: 300 })
  const updated = await call<InstanceType<typeof messages.UpdateResponse>>(done =>
    client.update(update, done),
  )
  expect(decodeProperties(updated.getProperties()).value).toMatchObject({ ttl: 300 })

  const remove = new messages.DeleteRequest()
    .setId(id)
    .setUrn(recordUrn)
    .setProperties(made.getProperties() ?? encode({}))
  await call(done => client.delete(remove, done))
  const gone = await call<InstanceType<typeof messages.ReadResponse>>(done => client.read(read, done))
  expect(gone.getId()).toBe('')
})

it('returns the refusals of a service, and the results of functions', async () => {
  const create = new messages.CreateRequest()
    .setUrn(recordUrn)
    .setProperties(encode({ zoneId: '0'.repeat(32), name: 'a', type: 'A', content: '192.0.2.1', ttl: 120 }))
  await expect(call(done => client.create(create, done))).rejects.toThrow(/40\d/)
  const invoke = new messages.InvokeRequest()
    .setTok('cloudflare:index/getApiTokenPermissionGroupsList:getApiTokenPermissionGroupsList')
    .setArgs(encode({ name: 'DNS Write' }))
  const found = await call<InstanceType<typeof messages.InvokeResponse>>(done => client.invoke(invoke, done))
  expect(decodeProperties(found.getReturn()).value).toMatchObject({ results: [{ name: 'DNS Write' }] })
  await call(done => client.cancel(new empty.Empty(), done))
})

it.each(['azuread', 'github'])('%s starts as a plugin too', async name => {
  const started = await start(name)
  expect(Number(started.port)).toBeGreaterThan(0)
  started.child.kill()
})

it('ends when its parent process is killed', async () => {
  const plugin = join(bin, 'pulumi-resource-cloudflare')
  // The shell in between is killed, so it cannot stop the plugin.
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${plugin}" & echo $!; wait`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  while (output.trim().split('\n').length < 2) {
    const [chunk] = (await once(shell.stdout, 'data')) as [Buffer]
    output += chunk.toString('utf8')
  }
  const pid = Number(output.split('\n')[0])
  shell.kill('SIGKILL')
  function isThere() {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isThere, { timeout: 5_000 }).toBe(false)
})
