import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'

/** Looks this often whether the process that started this one is still there. */
const parentCheckMs = 500
const loopback = '127.0.0.1:0'
/** Properties carry a Worker's code. */
const mostMessageBytes = 64 * 1024 * 1024

/** Makes a gRPC handler of a function; what it throws becomes the call's error. */
export const unary =
  <Request, Response>(
    answer: (request: Request) => Response | Promise<Response>,
  ): grpc.handleUnaryCall<Request, Response> =>
  (call, callback) => {
    Promise.resolve(call.request)
      .then(answer)
      .then(
        response => callback(null, response),
        (error: Error) => callback({ code: grpc.status.UNKNOWN, message: error.message }),
      )
  }

/** The answer that says nothing. */
export const nothing = () => new empty.Empty()

/**
 * Serves a plugin as the engine wants it: any port of loopback, told as the first line of output. Ends with the process
 * that started it, also when that was killed and could not say so.
 */
export async function servePlugin(
  service: grpc.ServiceDefinition,
  implementation: grpc.UntypedServiceImplementation,
): Promise<void> {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0)
  }, parentCheckMs).unref()
  const server = new grpc.Server({
    'grpc.max_receive_message_length': mostMessageBytes,
    'grpc.max_send_message_length': mostMessageBytes,
  })
  server.addService(service, implementation)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(loopback, grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error)
      else resolve(bound)
    })
  })
  process.stdout.write(`${port}\n`)
}
