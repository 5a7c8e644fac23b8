import type grpc from '@grpc/grpc-js'
import engine from '@pulumi/pulumi/proto/engine_pb.js'
import resource from '@pulumi/pulumi/proto/resource_pb.js'
import { nothing, unary } from '../grpc.ts'
import type { Properties } from '../properties.ts'
import { decodeProperties, encode, type Marked } from '../wire.ts'
import type { Created, Graph, GraphInvoke, GraphResource, ResourceProvider } from './graph.ts'
import { providerUrn, readResource, urnOf } from './registration.ts'

/** A message that the program logged. */
export interface LogLine {
  readonly severity: 'debug' | 'info' | 'warning' | 'error'
  readonly message: string
}

interface MonitorOptions {
  readonly project: string
  readonly stack: string
  /** Whether to create nothing and leave outputs unknown. */
  readonly preview: boolean
  readonly provider: ResourceProvider
  /** Returns the outputs of each resource in the state by URN, as the engine's own invoke does. Default: none. */
  readonly readState?: (() => Properties) | undefined
}

/** The two services that the SDK calls, as gRPC methods, and a record of what the program declared. */
interface Monitor {
  readonly resourceMonitor: grpc.UntypedServiceImplementation
  readonly engine: grpc.UntypedServiceImplementation
  readonly graph: Graph
  readonly outputs: Marked<Properties>
  readonly log: readonly LogLine[]
}

const {
  RESOURCE_MONITOR_FEATURE_SECRETS: secrets,
  RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES: references,
  RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES: outputValues,
  RESOURCE_MONITOR_FEATURE_ALIAS_SPECS: aliasSpecs,
  RESOURCE_MONITOR_FEATURE_DELETED_WITH: deletedWith,
  RESOURCE_MONITOR_FEATURE_PARAMETERIZATION: parameterization,
  RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS: resourceHooks,
  RESOURCE_MONITOR_FEATURE_ERROR_HOOKS: errorHooks,
} = resource.ResourceMonitorFeature
const features = [
  secrets,
  references,
  outputValues,
  aliasSpecs,
  deletedWith,
  parameterization,
  resourceHooks,
  errorHooks,
]

const severities = ['debug', 'info', 'warning', 'error'] as const
const providerPrefix = 'pulumi:providers:'
/** A function of the engine itself (builtins.go). */
const readStackResourceOutputs = 'pulumi:pulumi:readStackResourceOutputs'

/** Creates an engine that records what a program declares and creates resources as they arrive. It runs no hook. */
export function createMonitor({
  project,
  stack,
  preview,
  provider,
  readState = () => ({}),
}: MonitorOptions): Monitor {
  const resources: GraphResource[] = []
  const invokes: GraphInvoke[] = []
  const log: LogLine[] = []
  let outputs: Marked<Properties> = { value: {}, secretPaths: [] }
  let rootUrn = ''

  async function create({ type, name, inputs }: GraphResource): Promise<Created> {
    if (preview) return { id: '', outputs: inputs }
    if (type.startsWith(providerPrefix)) return { id: `${name}-provider`, outputs: inputs }
    try {
      return await provider.create(type, inputs)
    } catch (error) {
      const { message } = error as Error
      log.push({ severity: 'error', message: `${type} ${name}: ${message}` })
      throw error
    }
  }

  async function register(request: resource.RegisterResourceRequest) {
    const urn = urnOf(stack, project, request.getParent(), request.getType(), request.getName())
    const registered = readResource(request, urn)
    if (resources.some(other => other.urn === urn)) throw new Error(`Two resources have the URN ${urn}.`)
    resources.push(registered)
    const response = new resource.RegisterResourceResponse()
    response.setUrn(urn)
    if (!registered.custom) return response
    const created = await create(registered)
    response.setId(created.id)
    response.setObject(encode(created.outputs, secretOutputs(registered)))
    return response
  }

  return {
    resourceMonitor: {
      getDeploymentInfo: unary(() => {
        const info = new resource.DeploymentInfo()
        info.setSupportedfeaturesList(features)
        return info
      }),
      registerResource: unary(register),
      registerResourceOutputs: unary((request: resource.RegisterResourceOutputsRequest) => {
        if (request.getUrn() === rootUrn) outputs = decodeProperties(request.getOutputs())
        return nothing()
      }),
      registerResourceHook: unary(nothing),
      registerErrorHook: unary(nothing),
      registerPackage: unary(() => new resource.RegisterPackageResponse().setRef('package')),
      invoke: unary(async (request: resource.ResourceInvokeRequest) => {
        const token = request.getTok()
        const { value: args } = decodeProperties(request.getArgs())
        if (token === readStackResourceOutputs) {
          const state = { ...args, outputs: readState() }
          return new resource.ResourceInvokeResponse().setReturn(encode(state))
        }
        const reference = providerUrn(request.getProvider())
        invokes.push({ token, args, provider: reference })
        const answer = await provider.invoke(token, args)
        return new resource.ResourceInvokeResponse().setReturn(encode(answer))
      }),
      signalAndWaitForShutdown: unary(nothing),
    },
    engine: {
      log: unary((request: engine.LogRequest) => {
        const severity = severities[request.getSeverity()] ?? 'error'
        // Debug messages of the SDK contain values in clear text, secrets included.
        if (severity !== 'debug') log.push({ severity, message: request.getMessage() })
        return nothing()
      }),
      getRootResource: unary(() => new engine.GetRootResourceResponse().setUrn(rootUrn)),
      setRootResource: unary((request: engine.SetRootResourceRequest) => {
        rootUrn = request.getUrn()
        return new engine.SetRootResourceResponse()
      }),
    },
    graph: { resources, invokes },
    get outputs() {
      return outputs
    },
    log,
  }
}

/** Returns the outputs to mark as secret: those that an option names, and those whose input contains a secret. */
function secretOutputs({ options, secretInputs }: GraphResource): ReadonlySet<string> {
  return new Set([
    ...(options.additionalSecretOutputs ?? []),
    ...secretInputs.map(path => /^[^.[]*/.exec(path)?.[0] ?? path),
  ])
}
