import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import engine from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import resource from '@pulumi/pulumi/proto/resource_grpc_pb.js'
import { parse } from 'yaml'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import { createMonitor } from '../../sandbox/pulumi/engine/monitor.ts'
import { listen } from '../../sandbox/pulumi/grpc.ts'
import { compileCache } from '../../tools/compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { main } = parse(readFileSync(join(root, 'Pulumi.yaml'), 'utf8')) as { main: string }
const launcher = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run')

/**
 * Runs the program as the CLI does, but without configuration: in its own process, by the SDK's launcher, with the engine
 * over gRPC.
 * @param environment variables besides those that the language host sets
 * @param folder a copy of the repository
 */
export async function launchProgram({ environment = {} as NodeJS.ProcessEnv, folder = root } = {}) {
  const place = { project: 'homeport', stack: 'dev' }
  const organization = 'organization'
  const monitor = createMonitor({ ...place, preview: false, provider: cannedProvider })
  const server = await listen([
    [resource.ResourceMonitorService, monitor.resourceMonitor],
    [engine.EngineService, monitor.engine],
  ])
  try {
    const address = `127.0.0.1:${server.port}`
    const options = {
      monitor: address,
      engine: address,
      ...place,
      organization,
      pwd: dirname(join(folder, main)),
      parallel: '16',
    }
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const child = spawn(process.execPath, [launcher, ...flags, basename(main)], {
      env: {
        PATH: process.env['PATH'],
        ...compileCache(),
        NODE_NO_WARNINGS: '1',
        PULUMI_CONFIG: '{}',
        PULUMI_CONFIG_SECRET_KEYS: '[]',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [[status], ...written] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      text(child.stdout),
      text(child.stderr),
    ])
    return { log: monitor.log, status, written: written.join('') }
  } finally {
    server.close()
  }
}
