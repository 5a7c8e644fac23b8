import { createRequire } from 'node:module'
import plugin from '@pulumi/pulumi/proto/plugin_pb.js'
import services from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/provider_pb.js'
import { nothing, servePlugin, unary } from '../grpc.ts'
import { changedKeys } from '../properties.ts'
import { decodeKnown, decodeProperties, encode } from '../wire.ts'
import { type Operator, operator } from './operate.ts'
import type { Known, Package } from './resource.ts'

type Failures = Readonly<Record<string, string>>
type Message<Name extends keyof typeof messages> = (typeof messages)[Name] extends {
  prototype: infer Instance
}
  ? Instance
  : never

/** The version of the SDK's package: the engine warns of a plugin that is older than what the program wants. */
function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`@pulumi/${name}/package.json`) as { version: string }
  return version
}

const typeOf = (urn: string): string => urn.split('::')[2]?.split('$').at(-1) ?? ''

const failureList = (failures: Failures) =>
  Object.entries(failures).map(([property, reason]) =>
    new messages.CheckFailure().setProperty(property).setReason(reason),
  )

const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges

function difference(changes: readonly string[], replaces: readonly string[]) {
  const response = new messages.DiffResponse()
  response.setChanges(changes.length > 0 ? DIFF_SOME : DIFF_NONE)
  response.setDiffsList([...changes])
  response.setReplacesList([...replaces])
  return response
}

/** What the engine's real bridges answer: it is to carry secretness itself, and may ask for previews. */
const abilities = () =>
  new messages.ConfigureResponse()
    .setAcceptsecrets(false)
    .setSupportspreview(true)
    .setAcceptresources(false)
    .setAcceptoutputs(false)

const configuration = <Client>(described: Package<Client>, configured: (operator: Operator) => void) => ({
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
    configured(operator(described, decodeKnown(request.getArgs()), process.env))
    return abilities()
  }),
  cancel: unary(nothing),
})

const resources = (at: () => Operator) => ({
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
    const before = decodeProperties(request.getOldInputs()).value
    const { changes, replaces } = at().diff(
      typeOf(request.getUrn()),
      before,
      decodeProperties(request.getNews()).value,
    )
    return difference(changes, replaces)
  }),
  create: unary(async (request: Message<'CreateRequest'>) => {
    const type = typeOf(request.getUrn())
    const response = new messages.CreateResponse()
    if (request.getPreview()) {
      const foreseen = at().foresee(type, decodeProperties(request.getProperties()).value)
      return response.setProperties(encode(foreseen))
    }
    const { id, state } = await at().create(type, decodeKnown(request.getProperties()))
    return response.setId(id).setProperties(encode(state))
  }),
  read: unary(async (request: Message<'ReadRequest'>) => {
    const known: Known = {
      inputs: decodeKnown(request.getInputs()),
      state: decodeKnown(request.getProperties()),
    }
    const found = await at().read(typeOf(request.getUrn()), request.getId(), known)
    const response = new messages.ReadResponse()
    // No id says that it is gone.
    if (found === undefined) return response
    const { id, state, inputs } = found
    return response.setId(id).setProperties(encode(state)).setInputs(encode(inputs))
  }),
  update: unary(async (request: Message<'UpdateRequest'>) => {
    const response = new messages.UpdateResponse()
    const state = decodeKnown(request.getOlds())
    if (request.getPreview()) {
      return response.setProperties(encode({ ...state, ...decodeProperties(request.getNews()).value }))
    }
    const known: Known = { inputs: decodeKnown(request.getOldInputs()), state }
    const inputs = decodeKnown(request.getNews())
    const made = await at().update(typeOf(request.getUrn()), request.getId(), inputs, known)
    return response.setProperties(encode(made))
  }),
  delete: unary(async (request: Message<'DeleteRequest'>) => {
    const state = decodeKnown(request.getProperties())
    await at().delete(typeOf(request.getUrn()), request.getId(), state)
    return nothing()
  }),
})

/**
 * Serves a package as a provider plugin. By the messages of the protocol: the SDK's own provider server drops the
 * settings, the inputs of before and the mark of a preview (its source).
 */
export async function serveProvider<Client>(described: Package<Client>): Promise<void> {
  let configured: Operator | undefined
  const at = (): Operator => {
    if (configured === undefined) throw new Error(`${described.name} was not configured.`)
    return configured
  }
  await servePlugin(services.ResourceProviderService, {
    ...configuration(described, made => {
      configured = made
    }),
    ...resources(at),
  })
}
