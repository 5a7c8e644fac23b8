import type grpc from '@grpc/grpc-js'
import services from '@pulumi/pulumi/proto/language_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/language_pb.js'
import plugin from '@pulumi/pulumi/proto/plugin_pb.js'
import { nothing, servePlugin, unary } from '../grpc.ts'
import { type PolicyPackCall, runPolicyPack } from './policy-pack.ts'
import { launchProgram, type RunRequest } from './program.ts'

function about() {
  const response = new messages.AboutResponse()
  response.setExecutable(process.execPath)
  response.setVersion(process.version)
  return response
}

/** Returns the methods of the host. Those for packages do nothing, because everything is installed. */
const methods = (engine: string): grpc.UntypedServiceImplementation => ({
  handshake: unary(() => new messages.LanguageHandshakeResponse()),
  getPluginInfo: unary(() => {
    const info = new plugin.PluginInfo()
    info.setVersion('0.0.0')
    return info
  }),
  about: unary(about),
  getRequiredPlugins: unary(() => new messages.GetRequiredPluginsResponse()),
  getRequiredPackages: unary(() => new messages.GetRequiredPackagesResponse()),
  getProgramDependencies: unary(() => new messages.GetProgramDependenciesResponse()),
  installDependencies: (call: grpc.ServerWritableStream<unknown, unknown>) => {
    call.end()
  },
  run: unary((request: RunRequest) => launchProgram(request, engine)),
  runPlugin: (call: PolicyPackCall) => runPolicyPack(call, engine),
  cancel: unary(nothing),
})

/**
 * Serves the language runtime for Node until the engine exits, for a CLI without the official host.
 * @param engine the address of the engine, which is the last argument of the host's command line
 */
export const serveLanguage = (engine: string): Promise<void> =>
  servePlugin(services.LanguageRuntimeService, methods(engine))
