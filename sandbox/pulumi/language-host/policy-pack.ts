import { spawn } from 'node:child_process'
import type grpc from '@grpc/grpc-js'
import messages from '@pulumi/pulumi/proto/language_pb.js'
import { launcher } from './program.ts'

type Request = InstanceType<typeof messages.RunPluginRequest>
type Response = InstanceType<typeof messages.RunPluginResponse>

export type PolicyPackCall = grpc.ServerWritableStream<Request, Response>

/**
 * Runs a policy pack: a plugin that is a program. Its port comes over its output, so all of that is passed on. The
 * engine's address is its first argument and the folder of the pack its last; it runs there too, since the policy SDK
 * reads the package.json of the working directory (both as the official host has it).
 */
export function runPolicyPack(call: PolicyPackCall, engine: string): void {
  const request = call.request
  const directory = request.getInfo()?.getProgramDirectory() || request.getProgram()
  const given = request.getArgsList()
  const args = [launcher(directory, 'run-policy-pack'), ...(given.length > 0 ? given : [engine]), directory]
  const environment = request.getEnvList().map(line => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)] as const
  })
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, ...Object.fromEntries(environment) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (chunk: Buffer) => {
    call.write(new messages.RunPluginResponse().setStdout(chunk))
  })
  child.stderr.on('data', (chunk: Buffer) => {
    call.write(new messages.RunPluginResponse().setStderr(chunk))
  })
  child.once('error', error => call.destroy(error))
  child.once('close', status => {
    call.write(new messages.RunPluginResponse().setExitcode(status ?? 1))
    call.end()
  })
  call.once('cancelled', () => child.kill())
}
