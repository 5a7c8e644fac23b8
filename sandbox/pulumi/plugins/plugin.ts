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
import { changedKeys, type Properties } from '../properties.ts'
import { decodeKnown, decodeProperties, encode } from '../wire.ts'
import { createProvider, type Provider } from './provider.ts'
import type { CheckFailure, Package, PriorResource } from './resource.ts'

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

const configuration = <Client>(described: Package<Client>, configured: (provider: Provider) => void) => ({
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
    response.setFailuresList(failureList(described.check(decodeKnown(news))))
    return news === undefined ? response : response.setInputs(news)
  }),
  diffConfig: unary((request: Message<'DiffRequest'>) =>
    difference(changedKeys(decodeKnown(request.getOldInputs()), decodeKnown(request.getNews())), []),
  ),
  configure: unary((request: Message<'ConfigureRequest'>) => {
    configured(createProvider(described, decodeKnown(request.getArgs()), process.env))
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

const resources = <Client>(described: Package<Client>, at: () => Provider) => ({
  invoke: unary(async (request: Message<'InvokeRequest'>) => {
    const found = await at().lookUp(request.getTok(), decodeKnown(request.getArgs()))
    return new messages.InvokeResponse().setReturn(encode(found))
  }),
  check: unary((request: Message<'CheckRequest'>) => {
    const news = request.getNews()
    const failures = at().check(typeOf(request.getUrn()), decodeKnown(news))
    const response = new messages.CheckResponse().setFailuresList(failureList(failures))
    return news === undefined ? response : response.setInputs(news)
  }),
  diff: unary((request: Message<'DiffRequest'>) => {
    const before: PriorResource = {
      inputs: decodeProperties(request.getOldInputs()).value,
      state: decodeProperties(request.getOlds()).value,
    }
    const { changes, replaces } = at().diff(
      typeOf(request.getUrn()),
      before,
      decodeProperties(request.getNews()).value,
      request.getIgnorechangesList(),
    )
    return difference(changes, replaces)
  }),
  create: unary(async (request: Message<'CreateRequest'>) => {
    const type = typeOf(request.getUrn())
    const warning = described.resources[type]?.creationWarning
    if (warning !== undefined) await warn(request.getUrn(), warning)
    const response = new messages.CreateResponse()
    if (request.getPreview()) {
      const previewed = at().preview(type, decodeProperties(request.getProperties()).value)
      return response.setProperties(encode(previewed))
    }
    const { id, state } = await at().create(type, decodeKnown(request.getProperties()))
    return response.setId(id).setProperties(encode(state))
  }),
  read: unary(async (request: Message<'ReadRequest'>) => {
    const known: PriorResource = {
      inputs: decodeKnown(request.getInputs()),
      state: decodeKnown(request.getProperties()),
    }
    const found = await at().read(typeOf(request.getUrn()), request.getId(), known)
    const response = new messages.ReadResponse()
    // An answer without an id means that the resource is gone.
    if (found === null) return response
    const { id, state, inputs } = found
    return response.setId(id).setProperties(encode(state)).setInputs(encode(inputs))
  }),
  update: unary(async (request: Message<'UpdateRequest'>) => {
    const response = new messages.UpdateResponse()
    const state = decodeKnown(request.getOlds())
    if (request.getPreview()) {
      return response.setProperties(encode({ ...state, ...decodeProperties(request.getNews()).value }))
    }
    const known: PriorResource = { inputs: decodeKnown(request.getOldInputs()), state }
    const inputs = decodeKnown(request.getNews())
    const ignored = request.getIgnorechangesList()
    const type = typeOf(request.getUrn())
    const id = request.getId()
    try {
      return response.setProperties(encode(await at().update(type, id, inputs, known, ignored)))
    } catch (error) {
      if (!described.resources[type]?.keepsFailedUpdate) throw error
      throw partialFailure(error as Error, id, { ...state, ...inputs }, known.inputs)
    }
  }),
  delete: unary(async (request: Message<'DeleteRequest'>) => {
    const state = decodeKnown(request.getProperties())
    await at().delete(typeOf(request.getUrn()), request.getId(), state)
    return nothing()
  }),
})

/**
 * Serves a package as a provider plugin. Uses raw messages, because the SDK's provider server drops the settings, the
 * previous inputs and the preview flag (its source).
 */
export async function serveProvider<Client>(described: Package<Client>): Promise<void> {
  let configured: Provider | undefined
  const at = (): Provider => {
    if (configured === undefined) throw new Error(`${described.name} is not configured.`)
    return configured
  }
  await servePlugin(services.ResourceProviderService, {
    ...configuration(described, made => {
      configured = made
    }),
    ...resources(described, at),
  })
}
