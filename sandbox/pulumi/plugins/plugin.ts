import { createRequire } from 'node:module'
import grpc from '@grpc/grpc-js'
import engineServices from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import engine from '@pulumi/pulumi/proto/engine_pb.js'
import plugin from '@pulumi/pulumi/proto/plugin_pb.js'
import services from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/provider_pb.js'
import statuses from '@pulumi/pulumi/proto/status_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import { nothing, servePlugin, unary } from '../grpc.ts'
import { changedKeys, isSet, type Properties, withIgnored } from '../properties.ts'
import { decodeKnown, decodeProperties, encode, unknownValue } from '../wire.ts'
import type { CheckFailure, Package, Resource, RestClient } from './resource.ts'
import { unlessGone } from './rest.ts'

type Message<Name extends keyof typeof messages> = (typeof messages)[Name] extends {
  prototype: infer Instance
}
  ? Instance
  : never

/** Returns the version of the SDK's package. The engine warns if a plugin is older than the program's SDK. */
function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`@pulumi/${name}/package.json`) as { version: string }
  return version
}

const typeOf = (urn: string): string => urn.split('::')[2]?.split('$').at(-1) ?? ''

const failureList = (failures: readonly CheckFailure[]) =>
  failures.map(({ property, reason }) => new messages.CheckFailure().setProperty(property).setReason(reason))

const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges

function difference(changes: readonly string[], replaces: readonly string[]) {
  const response = new messages.DiffResponse()
  response.setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE)
  response.setDiffsList([...changes])
  response.setReplacesList([...replaces])
  return response
}

/** Returns the capabilities of the real bridges: the engine tracks secrets itself and can request previews. */
const capabilities = () =>
  new messages.ConfigureResponse()
    .setAcceptsecrets(false)
    .setSupportspreview(true)
    .setAcceptresources(false)
    .setAcceptoutputs(false)

const configuration = <Client extends RestClient>(
  described: Package<Client>,
  configured: (client: Client) => void,
) => ({
  handshake: unary(() =>
    new messages.ProviderHandshakeResponse()
      .setAcceptSecrets(false)
      .setAcceptResources(false)
      .setAcceptOutputs(false),
  ),
  getPluginInfo: unary(() => {
    const info = new plugin.PluginInfo()
    info.setVersion(versionOf(described.name))
    return info
  }),
  checkConfig: unary((request: Message<'CheckRequest'>) => {
    const news = request.getNews()
    const response = new messages.CheckResponse()
    response.setFailuresList(failureList(described.check?.(decodeKnown(news)) ?? []))
    return news === undefined ? response : response.setInputs(news)
  }),
  diffConfig: unary((request: Message<'DiffRequest'>) =>
    difference(changedKeys(decodeKnown(request.getOldInputs()), decodeKnown(request.getNews())), []),
  ),
  configure: unary((request: Message<'ConfigureRequest'>) => {
    configured(described.connect(decodeKnown(request.getArgs()), process.env))
    return capabilities()
  }),
  cancel: unary(nothing),
})

/** Returns the failure of an update that leaves a state, as the engine's protocol has it. */
function partialFailure(error: Error, id: string, state: Properties, inputs: Properties): Error {
  const detail = new messages.ErrorResourceInitFailed().setId(id).setReasonsList([error.message])
  detail.setProperties(encode(state)).setInputs(encode(inputs))
  const details = new any.Any()
  details.pack(detail.serializeBinary(), 'pulumirpc.ErrorResourceInitFailed')
  const status = new statuses.Status().setCode(grpc.status.UNKNOWN).setMessage(error.message)
  const metadata = new grpc.Metadata()
  metadata.add('grpc-status-details-bin', Buffer.from(status.setDetailsList([details]).serializeBinary()))
  return Object.assign(new Error(error.message), { metadata })
}

/** Has the engine print a warning about a resource. The engine's address is the first argument of a plugin. */
async function warn(urn: string, message: string): Promise<void> {
  const client = new engineServices.EngineClient(process.argv[2] ?? '', grpc.credentials.createInsecure())
  const line = new engine.LogRequest().setSeverity(engine.LogSeverity.WARNING).setUrn(urn).setMessage(message)
  try {
    await new Promise<void>((resolve, reject) => {
      client.log(line, error => (error ? reject(error) : resolve()))
    })
  } finally {
    client.close()
  }
}

/** Compares the program's inputs with the previous ones, or with those that a refresh found. */
function changesOf<Client>(
  { replaceOn, removedUnlessDeclared = [] }: Resource<Client>,
  request: Message<'DiffRequest'>,
) {
  const state = decodeProperties(request.getOlds()).value
  const now = decodeProperties(request.getNews()).value
  const removed = removedUnlessDeclared.filter(key => isSet(state[key]) && !isSet(now[key]))
  const changed = changedKeys(decodeProperties(request.getOldInputs()).value, now)
  // Inputs with another owner.
  const ignored = request.getIgnorechangesList()
  const changes = [...new Set([...changed, ...removed])].filter(key => !ignored.includes(key))
  return difference(changes, replaceOn === 'all' ? changes : changes.filter(key => replaceOn.includes(key)))
}

const operations = <Client extends RestClient>(
  { name, resources, lookups }: Package<Client>,
  connected: () => Client,
) => {
  /** Returns what has a name. @throws Error if the emulated provider does not have it */
  function named<Value>(all: Readonly<Record<string, Value>>, wanted: string): Value {
    const found = all[wanted]
    if (found !== undefined) return found
    throw new Error(`The emulated provider ${name} has no ${wanted}, only ${Object.keys(all).join(', ')}.`)
  }
  const resourceOf = (request: { getUrn(): string }) => named(resources, typeOf(request.getUrn()))
  return {
    invoke: unary(async (request: Message<'InvokeRequest'>) => {
      const lookUp = named(lookups, request.getTok())
      const found = await lookUp(connected(), decodeKnown(request.getArgs()))
      return new messages.InvokeResponse().setReturn(encode(found))
    }),
    check: unary((request: Message<'CheckRequest'>) => {
      const news = request.getNews()
      // An unknown type passes, so that policies can check it. Creating it fails.
      const failures = resources[typeOf(request.getUrn())]?.check?.(decodeKnown(news)) ?? []
      const response = new messages.CheckResponse().setFailuresList(failureList(failures))
      return news === undefined ? response : response.setInputs(news)
    }),
    diff: unary((request: Message<'DiffRequest'>) => changesOf(resourceOf(request), request)),
    create: unary(async (request: Message<'CreateRequest'>) => {
      const { creationWarning, computed, create } = resourceOf(request)
      if (creationWarning !== undefined) await warn(request.getUrn(), creationWarning)
      const response = new messages.CreateResponse()
      if (request.getPreview()) {
        const unknown = Object.fromEntries(computed.map(key => [key, unknownValue]))
        const inputs = decodeProperties(request.getProperties()).value
        return response.setProperties(encode({ ...unknown, ...inputs }))
      }
      const { id, state } = await create(connected(), decodeKnown(request.getProperties()))
      return response.setId(id).setProperties(encode(state))
    }),
    read: unary(async (request: Message<'ReadRequest'>) => {
      const inputs = decodeKnown(request.getInputs())
      const known = { inputs, state: decodeKnown(request.getProperties()) }
      const [resource, client, id] = [resourceOf(request), connected(), request.getId()]
      const path = resource.path(id, known.state, client)
      const served = await unlessGone(client.call({ method: 'GET', path }))
      const found = served && (await resource.read(served, id, known, client))
      const response = new messages.ReadResponse()
      // An answer without an id means that the resource is gone.
      if (found === null) return response
      return response.setId(found.id).setProperties(encode(found.state)).setInputs(encode(found.inputs))
    }),
    update: unary(async (request: Message<'UpdateRequest'>) => {
      const response = new messages.UpdateResponse()
      const state = decodeKnown(request.getOlds())
      if (request.getPreview()) {
        return response.setProperties(encode({ ...state, ...decodeProperties(request.getNews()).value }))
      }
      const known = { inputs: decodeKnown(request.getOldInputs()), state }
      const news = decodeKnown(request.getNews())
      const id = request.getId()
      const { update, keepsFailedUpdate } = resourceOf(request)
      try {
        if (update === undefined) throw new Error(`${request.getUrn()} cannot be updated, only replaced.`)
        const inputs = withIgnored(news, state, request.getIgnorechangesList())
        return response.setProperties(encode(await update(connected(), id, inputs, known)))
      } catch (error) {
        if (!keepsFailedUpdate) throw error
        throw partialFailure(error as Error, id, { ...state, ...news }, known.inputs)
      }
    }),
    delete: unary(async (request: Message<'DeleteRequest'>) => {
      const state = decodeKnown(request.getProperties())
      const [resource, client, id] = [resourceOf(request), connected(), request.getId()]
      if (resource.delete) await resource.delete(client, id, state)
      else await client.call({ method: 'DELETE', path: resource.path(id, state, client) })
      return nothing()
    }),
  }
}

/**
 * Serves a package as a provider plugin. Uses raw messages, because the SDK's provider server drops the settings, the
 * previous inputs and the preview flag (its source).
 */
export async function serveProvider<Client extends RestClient>(described: Package<Client>): Promise<void> {
  let client: Client | undefined
  const connected = (): Client => {
    if (client === undefined) throw new Error(`${described.name} is not configured.`)
    return client
  }
  await servePlugin(services.ResourceProviderService, {
    ...configuration(described, made => {
      client = made
    }),
    ...operations(described, connected),
  })
}
