import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import messages from '@pulumi/pulumi/proto/language_pb.js'

export type RunRequest = InstanceType<typeof messages.RunRequest>

/** The exit status if the launcher has already reported the problem, so that the engine only stops (its source). */
const bailStatus = 32

/** Returns the path of a launcher in the program's own SDK, as the official host does. */
export const launcher = (directory: string, name: 'run' | 'run-policy-pack'): string =>
  createRequire(join(directory, 'package.json')).resolve(`@pulumi/pulumi/cmd/${name}`)

/** Returns the launcher's environment. Without `typescript: false`, the launcher compiles with ts-node. */
function environmentFor(request: RunRequest): NodeJS.ProcessEnv {
  const options = request.getInfo()?.getOptions()?.toJavaScript() ?? {}
  return {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...(options['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
  }
}

/** Runs a program to its end. */
export async function launchProgram(request: RunRequest, engine: string) {
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
    // The engine reads the host's standard output, so the program's output goes to standard error.
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
