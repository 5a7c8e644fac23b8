import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import messages from '@pulumi/pulumi/proto/language_pb.js'

export type RunRequest = InstanceType<typeof messages.RunRequest>

/** The launcher has told the user what is wrong already, and the engine is only to stop (source of the launcher). */
const bailStatus = 32

/** Where a program's own SDK has a launcher: the program's, not the host's, as for a user. */
export const launcher = (directory: string, name: 'run' | 'run-policy-pack'): string =>
  createRequire(join(directory, 'package.json')).resolve(`@pulumi/pulumi/cmd/${name}`)

/** `typescript: false` leaves types to Node; without it the launcher would compile with ts-node. */
function environmentFor(request: RunRequest): NodeJS.ProcessEnv {
  const options = request.getInfo()?.getOptions()?.toJavaScript() ?? {}
  return {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...(options['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
  }
}

/** Runs a program until it has declared everything. */
export async function runProgram(request: RunRequest, engine: string) {
  const info = request.getInfo()
  const directory = info?.getProgramDirectory() ?? request.getPwd()
  const args = [
    launcher(directory, 'run'),
    `--monitor=${request.getMonitorAddress()}`,
    `--engine=${engine}`,
    `--organization=${request.getOrganization()}`,
    `--project=${request.getProject()}`,
    `--root-directory=${info?.getRootDirectory() ?? directory}`,
    `--stack=${request.getStack()}`,
    `--pwd=${directory}`,
    ...(request.getDryrun() ? ['--dry-run'] : []),
    `--parallel=${request.getParallel()}`,
    info?.getEntryPoint() ?? request.getProgram(),
  ]
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: environmentFor(request),
    // The host's own output is the engine's: what the program prints goes the way of its errors.
    stdio: ['ignore', 2, 2],
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const response = new messages.RunResponse()
  if (status === bailStatus) response.setBail(true)
  else if (status !== 0) response.setError(`The program ended with status ${status}.`)
  return response
}
