import grpc from '@grpc/grpc-js'
import callbacks from '@pulumi/pulumi/proto/callback_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/callback_pb.js'
import resource from '@pulumi/pulumi/proto/resource_pb.js'
import { encode } from '../wire.ts'
import type { GraphResource } from './graph.ts'

/** The resource hooks of a program. Each is a callback to a server that the SDK runs. */
export class Hooks {
  readonly #registered = new Map<string, resource.RegisterResourceHookRequest>()

  /** @throws Error if there is one with this name, as the engine does (resource_hooks.go) */
  register(request: resource.RegisterResourceHookRequest): void {
    const name = request.getName()
    if (this.#registered.has(name)) throw new Error(`resource hook already registered for name "${name}"`)
    this.#registered.set(name, request)
  }

  /**
   * Runs the hooks of a resource that is about to be created. In a preview, runs only those that ask for it.
   * @throws Error if one fails, in the words of the engine (deployment.go, RunHooks)
   */
  async beforeCreate(declared: GraphResource, preview: boolean): Promise<void> {
    for (const name of declared.options.beforeCreate ?? []) {
      const hook = this.#registered.get(name)
      if (hook === undefined) throw new Error(`hook "${name}" was not registered`)
      if (preview && !hook.getOnDryRun()) continue
      await call(hook, declared)
    }
  }
}

/** Calls a hook. @throws Error if it fails */
async function call(
  hook: resource.RegisterResourceHookRequest,
  { urn, name, type, inputs }: GraphResource,
): Promise<void> {
  const request = new resource.ResourceHookRequest()
  request.setUrn(urn)
  request.setName(name)
  request.setType(type)
  request.setNewInputs(encode(inputs))
  const answer = await invoke(hook.getCallback(), request.serializeBinary())
  const error = resource.ResourceHookResponse.deserializeBinary(answer).getError()
  // Protobuf has no absent text: a hook that passes has an empty error.
  if (error !== '') throw new Error(`before hook "${hook.getName()}" failed: ${error}`)
}

/** Tells the hooks of a resource that its creation failed. No hook here asks to try again. */
export async function callOnError(
  hooks: readonly resource.RegisterErrorHookRequest[],
  { urn, name, type }: GraphResource,
  message: string,
): Promise<void> {
  const request = new resource.ErrorHookRequest()
  request.setUrn(urn)
  request.setName(name)
  request.setType(type)
  request.setFailedOperation('create')
  request.setErrorsList([message])
  for (const hook of hooks) await invoke(hook.getCallback(), request.serializeBinary())
}

/** Calls a function of the program by the server that the SDK runs. */
async function invoke(callback: messages.Callback | undefined, request: Uint8Array): Promise<Uint8Array> {
  const invocation = new messages.CallbackInvokeRequest()
  invocation.setToken(callback?.getToken() ?? '')
  invocation.setRequest(request)
  const client = new callbacks.CallbacksClient(callback?.getTarget() ?? '', grpc.credentials.createInsecure())
  try {
    const answer = await new Promise<messages.CallbackInvokeResponse>((resolve, reject) => {
      client.invoke(invocation, (error, response) => (error ? reject(error) : resolve(response)))
    })
    return answer.getResponse_asU8()
  } finally {
    client.close()
  }
}
