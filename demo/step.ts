import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bundle = fileURLToPath(new URL('../action/dist/index.js', import.meta.url))
const stepTimeoutMs = 30_000

/** One run of the shipped action. */
export interface Step {
  /** Exit status; null if it had to be killed. */
  readonly status: number | null
  readonly outputs: Readonly<Record<string, string>>
  /** What it printed, to show if it fails. */
  readonly log: string
  readonly elapsedMs: number
}

/** Runs the shipped bundle in a child process, with these inputs and without the environment of this process. */
export async function runStep(inputs: Readonly<Record<string, string>>): Promise<Step> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-demo-'))
  try {
    const output = join(folder, 'output')
    await writeFile(output, '')
    const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])
    const runner = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, RUNNER_ENVIRONMENT: 'self-hosted' }
    const env = { ...runner, ...Object.fromEntries(given) }
    const startedMs = performance.now()
    const { status, log } = await start(folder, env)
    const elapsedMs = performance.now() - startedMs
    return { status, log, elapsedMs, outputs: readOutputs(await readFile(output, 'utf8')) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function start(cwd: string, env: NodeJS.ProcessEnv): Promise<Pick<Step, 'status' | 'log'>> {
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [bundle],
      { cwd, env, timeout: stepTimeoutMs },
      (_, stdout, stderr) => resolve({ status: child.exitCode, log: stdout + stderr }),
    )
  })
}

/** Parses the output file: the action writes `name<<delimiter`, the lines of the value, and the delimiter. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {}
  for (const [, name = '', , value = ''] of text.matchAll(/^([^\n<]+)<<(.+)\n([\s\S]*?)\n?\2$/gm))
    outputs[name] = value
  return outputs
}
