import type grpc from '@grpc/grpc-js'
import engine from '@pulumi/pulumi/proto/engine_pb.js'
import resource from '@pulumi/pulumi/proto/resource_pb.js'
import { nothing, unary } from '../grpc.ts'
import type { Properties } from '../properties.ts'
import { decodeProperties, encode, type Marked } from '../wire.ts'
import type {
  Created,
  Graph,
  GraphInvoke,
  GraphResource,
  ProviderContext,
  ResourceProvider,
} from './graph.ts'
import { callOnError, Hooks } from './hooks.ts'
import { providerUrn, readResource, urnOf } from './registration.ts'

/** A message that the program logged. */
export interface LogLine {
  readonly severity: 'debug' | 'info' | 'warning' | 'error'
  readonly message: string
}

/**
 * Creates, imports, updates or replaces a registered resource, or leaves it unchanged.
 * @param beforeCreate runs the program's hooks; rejects if one fails
 */
export type Register = (
  resource: GraphResource,
  context: ProviderContext,
  beforeCreate: () => Promise<void>,
) => Promise<Created>

interface MonitorOptions {
  readonly project: string
  readonly stack: string
  /** Whether to create nothing and leave outputs unknown. */
  readonly preview: boolean
  readonly provider: ResourceProvider
  /** Handles each registered resource. Default: the provider creates it, and no hook runs, since nothing exists. */
  readonly register?: Register | undefined
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

/**
 * Creates an engine that records what a program declares and creates resources as they arrive. Only `register` can compare
 * with an earlier state.
 */
export function createMonitor({
  project,
  stack,
  preview,
  provider,
  register: decide,
  readState = () => ({}),
}: MonitorOptions): Monitor {
  const resources: GraphResource[] = []
  const invokes: GraphInvoke[] = []
  const log: LogLine[] = []
  let outputs: Marked<Properties> = { value: {}, secretPaths: [] }
  let rootUrn = ''
  const hooks = new Hooks()
  const errorHandlers: resource.RegisterErrorHookRequest[] = []

  const contextOf = (reference: string) => ({
    configuration: resources.find(({ urn }) => urn === reference)?.inputs ?? {},
  })

  async function create(resource: GraphResource, onError: readonly string[]): Promise<Created> {
    const { type, name, inputs } = resource
    if (preview && decide === undefined) return { id: '', outputs: inputs }
    if (type.startsWith(providerPrefix)) return { id: `${name}-provider`, outputs: inputs }
    try {
      const context = contextOf(resource.provider)
      if (decide === undefined) return await provider.create(type, inputs, context)
      return await decide(resource, context, () => hooks.beforeCreate(resource, preview))
    } catch (error) {
      const { message } = error as Error
      const called = errorHandlers.filter(hook => onError.includes(hook.getName()))
      await callOnError(called, resource, message)
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
    const created = await create(registered, request.getHooks()?.getOnErrorList() ?? [])
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
      registerResourceHook: unary((request: resource.RegisterResourceHookRequest) => {
        hooks.register(request)
        return nothing()
      }),
      registerErrorHook: unary((request: resource.RegisterErrorHookRequest) => {
        errorHandlers.push(request)
        return nothing()
      }),
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
        const answer = await provider.invoke(token, args, contextOf(reference))
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
