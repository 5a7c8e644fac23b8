import { spawn } from 'node:child_process'
import type grpc from '@grpc/grpc-js'
import messages from '@pulumi/pulumi/proto/language_pb.js'
import { launcher } from './program.ts'

type Request = InstanceType<typeof messages.RunPluginRequest>
type Response = InstanceType<typeof messages.RunPluginResponse>

export type PolicyPackCall = grpc.ServerWritableStream<Request, Response>

/**
 * Runs a policy pack, which is a plugin, and forwards its output, which starts with its port. As with the official host, the
 * first argument is the engine's address and the last one is the pack's folder. The pack runs in that folder, because the
 * policy SDK reads its package.json.
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
