import * as grpc from '@grpc/grpc-js'
import engineRpc from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import engineMessages from '@pulumi/pulumi/proto/engine_pb.js'
import resourceRpc from '@pulumi/pulumi/proto/resource_grpc_pb.js'
import resourceMessages from '@pulumi/pulumi/proto/resource_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import {
  asObject,
  type Graph,
  type GraphInvoke,
  type GraphResource,
  type JsonObject,
  type Marked,
  type ResourceProvider,
} from './graph.ts'
import { readRegistration, urnOf } from './registration.ts'
import { decodeObject, encodeObject } from './values.ts'

export interface LogLine {
  readonly severity: 'debug' | 'info' | 'warning' | 'error'
  readonly message: string
}

export interface MonitorOptions {
  readonly project: string
  readonly stack: string
  /** Makes nothing and knows no outputs. */
  readonly preview: boolean
  readonly provider: ResourceProvider
}

/** The engine's two services, and what a program told them. */
export interface Monitor {
  /** `host:port`, of both. */
  readonly address: string
  readonly graph: Graph
  readonly outputs: Marked<JsonObject>
  readonly log: readonly LogLine[]
  close(): void
}

/** What this engine can, by the names the SDK asks with. */
const features = new Set([
  'secrets',
  'resourceReferences',
  'outputValues',
  'aliasSpecs',
  'deletedWith',
  'parameterization',
])

const severities = ['debug', 'info', 'warning', 'error'] as const
const providerPrefix = 'pulumi:providers:'

type Unary<Request, Answer> = (request: Request) => Promise<Answer> | Answer

/** A method as the gRPC library wants it. A rejection becomes an error with its message, which the SDK shows. */
const method =
  <Request, Answer>(serve: Unary<Request, Answer>): grpc.handleUnaryCall<Request, Answer> =>
  async ({ request }, answer) => {
    try {
      answer(null, await serve(request))
    } catch (error) {
      answer({ code: grpc.status.UNKNOWN, details: error instanceof Error ? error.message : String(error) })
    }
  }

/**
 * Serves the monitor and the engine that a program's SDK talks to, on loopback. It captures what is declared and makes
 * resources as they come. It compares with no earlier state: nothing is updated, replaced, refreshed or deleted.
 */
export async function startMonitor(options: MonitorOptions): Promise<Monitor> {
  const { project, stack, preview, provider } = options
  const resources: GraphResource[] = []
  const invokes: GraphInvoke[] = []
  const log: LogLine[] = []
  let outputs: Marked<JsonObject> = { value: {}, secretPaths: [] }
  let rootUrn = ''

  const contextOf = (providerUrn: string) => ({
    configuration: resources.find(({ urn }) => urn === providerUrn)?.inputs ?? {},
  })

  const register = async (request: resourceMessages.RegisterResourceRequest) => {
    const urn = urnOf(stack, project, request.getParent(), request.getType(), request.getName())
    const found = readRegistration(request, urn)
    if (resources.some(other => other.urn === urn)) throw new Error(`Two resources have the URN ${urn}.`)
    resources.push(found)
    const response = new resourceMessages.RegisterResourceResponse()
    response.setUrn(urn)
    if (!found.custom) return response
    const secret = secretOutputs(found)
    if (found.type.startsWith(providerPrefix)) {
      response.setId(preview ? '' : `${found.name}-provider`)
      response.setObject(encodeObject(found.inputs, secret))
    } else if (preview) {
      response.setObject(encodeObject(found.inputs, secret))
    } else {
      const made = await provider.create(found.type, found.inputs, contextOf(found.provider)).catch(error => {
        log.push({ severity: 'error', message: `${found.type} ${found.name}: ${error.message}` })
        throw error
      })
      response.setId(made.id)
      response.setObject(encodeObject(asObject(made.outputs), secret))
    }
    return response
  }

  const server = new grpc.Server()
  server.addService(resourceRpc.ResourceMonitorService, {
    supportsFeature: method((request: resourceMessages.SupportsFeatureRequest) =>
      new resourceMessages.SupportsFeatureResponse().setHassupport(features.has(request.getId())),
    ),
    registerResource: method(register),
    registerResourceOutputs: method((request: resourceMessages.RegisterResourceOutputsRequest) => {
      if (request.getUrn() === rootUrn) outputs = decodeObject(request.getOutputs())
      return new empty.Empty()
    }),
    registerPackage: method(() => new resourceMessages.RegisterPackageResponse().setRef('package')),
    invoke: method(async (request: resourceMessages.ResourceInvokeRequest) => {
      const token = request.getTok()
      const { value: args } = decodeObject(request.getArgs())
      const named = request.getProvider().replace(/::[^:]*$/, '')
      invokes.push({ token, args, provider: named })
      const answer = await provider.invoke(token, args, contextOf(named))
      return new resourceMessages.ResourceInvokeResponse().setReturn(encodeObject(asObject(answer)))
    }),
    signalAndWaitForShutdown: method(() => new empty.Empty()),
  })
  server.addService(engineRpc.EngineService, {
    log: method((request: engineMessages.LogRequest) => {
      const severity = severities[request.getSeverity()] ?? 'error'
      // The SDK's debug lines hold values as they travel, secret ones too.
      if (severity !== 'debug') log.push({ severity, message: request.getMessage() })
      return new empty.Empty()
    }),
    getRootResource: method(() => new engineMessages.GetRootResourceResponse().setUrn(rootUrn)),
    setRootResource: method((request: engineMessages.SetRootResourceRequest) => {
      rootUrn = request.getUrn()
      return new engineMessages.SetRootResourceResponse()
    }),
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return {
    address: `127.0.0.1:${port}`,
    graph: { resources, invokes },
    get outputs() {
      return outputs
    },
    log,
    close: () => server.forceShutdown(),
  }
}

/** Names of outputs that come back as secrets: those asked for, and those whose input holds one, as the engine does. */
const secretOutputs = ({ options, secretInputs }: GraphResource): ReadonlySet<string> =>
  new Set([
    ...(options.additionalSecretOutputs ?? []),
    ...secretInputs.map(path => /^[^.[]*/.exec(path)?.[0] ?? path),
  ])
