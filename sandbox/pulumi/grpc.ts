import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'

/** The services of a server, each with its definition and its methods. */
type Services = readonly (readonly [grpc.ServiceDefinition, grpc.UntypedServiceImplementation])[]

const parentCheckMs = 500
/** Enough for the code of a Worker in its properties. */
const maxMessageBytes = 64 * 1024 * 1024

/** Converts a function to a gRPC method. If the function throws, the call fails with its message, and its metadata if it has some. */
export function unary<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve(call.request)
      .then(answer)
      .then(
        response => callback(null, response),
        ({ message, metadata }: Error & { readonly metadata?: grpc.Metadata }) =>
          callback({ code: grpc.status.UNKNOWN, message, ...(metadata && { metadata }) }),
      )
  }
}

/** Returns the empty message. */
export function nothing() {
  return new empty.Empty()
}

/** Starts a server on a free port of loopback. */
export async function listen(services: Services): Promise<{ readonly port: number; close(): void }> {
  const server = new grpc.Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  })
  for (const [definition, methods] of services) server.addService(definition, methods)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error)
      else resolve(bound)
    })
  })
  return { port, close: () => server.forceShutdown() }
}

/**
 * Serves a plugin as the engine expects: it prints its port as the first line of output. It exits with its parent process,
 * even if the parent was killed.
 */
export async function servePlugin(
  definition: grpc.ServiceDefinition,
  methods: grpc.UntypedServiceImplementation,
): Promise<void> {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0)
  }, parentCheckMs).unref()
  const { port } = await listen([[definition, methods]])
  process.stdout.write(`${port}\n`)
}
