import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { root } from '../tools/bundle.ts'

/** The shipped bundle. */
export const bundle = join(root, 'action/dist/index.js')

/** What the relays add to each exchange. */
export const roundTripMs = 50

export type Environment = Readonly<Record<string, string>>

/** What one process took. Processor time and memory are null for a program that does not run on Node. */
export interface Run {
  readonly wallMs: number
  readonly cpuMs: number | null
  readonly peakMebibytes: number | null
}

/** Runs each of the programs once a round, in turn, after one run of each that does not count. */
export async function takeTurns<Done>(
  rounds: number,
  programs: readonly (() => Promise<Done>)[],
): Promise<readonly (readonly Done[])[]> {
  const runs = programs.map((): Done[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, program] of programs.entries()) {
      const done = await program()
      if (round > 0) runs[index]?.push(done)
    }
  }
  return runs
}

/** Runs a script in Node, which reports what it used just before it ends. */
export async function runNode(
  folder: string,
  script: string,
  environment: Environment,
  status: number,
): Promise<Run> {
  const reporter = join(folder, 'report.cjs')
  const usageFile = join(folder, 'usage.json')
  await writeFile(
    reporter,
    `const { writeFileSync } = require('node:fs')
     process.on('exit', () => writeFileSync(${JSON.stringify(usageFile)}, JSON.stringify(process.resourceUsage())))`,
  )
  const done = await runProcess(process.execPath, ['--require', reporter, script], environment, status)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(await readFile(usageFile, 'utf8'))
  return { ...done, cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMebibytes: maxRSS / 1024 }
}

/** Runs a program to its end. Throws if it ends with another status. */
export function runProcess(
  file: string,
  args: readonly string[],
  env: Environment,
  expected: number,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    const child = spawn(file, args, { env })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', status => {
      const wallMs = performance.now() - startMs
      if (status === expected) resolve({ wallMs, cpuMs: null, peakMebibytes: null })
      else reject(new Error(`${file} ended with ${status}:\n${output}`))
    })
  })
}

/** Returns the environment of a step on a self-hosted runner with these inputs. */
export async function stepEnvironment(folder: string, inputs: Environment): Promise<Environment> {
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') }
  for (const file of Object.values(files)) await writeFile(file, '')
  const given = Object.entries(inputs).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text])
  return {
    PATH: process.env['PATH'] ?? '',
    GITHUB_ACTIONS: 'true',
    RUNNER_ENVIRONMENT: 'self-hosted',
    ...files,
    ...Object.fromEntries(given),
  }
}

/** Replaces the zone's records by A records of these names. */
export function setRecords(sandbox: Sandbox, hostnames: readonly string[], content: string): void {
  const records = hostnames.map(name => ({ type: 'A', name, content, ttl: 120 }))
  sandbox.control.setState({ records: { [sandbox.description.cloudflare.zoneId]: records } })
}

/** Returns the methods of the requests to the DNS service since it was last asked for. */
export function requestsToService({ control }: Sandbox): readonly string[] {
  const entries = control.journal().filter(entry => entry.service === 'cloudflare')
  control.clearJournal()
  return entries.map(({ method }) => method)
}

/** Writes the certificate of the sandbox's authority into a file. Returns its path. */
export async function writeAuthority(folder: string, { description }: Sandbox): Promise<string> {
  const file = join(folder, 'ca.pem')
  await writeFile(file, description.ca)
  return file
}
