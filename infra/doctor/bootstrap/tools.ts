import { readFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { fieldOf } from '../../json.ts'
import { outputOf } from '../../program.ts'
import { shown } from '../../shown.ts'
import { findingsOf, type StepFinding } from '../finding.ts'

const { ok, note, missing } = findingsOf('tools')

/** The programs of the page's commands, with the versions that it was written for. */
const clients = [
  {
    name: 'az',
    args: ['version'],
    oldest: '2.60',
    install: 'Install it: https://learn.microsoft.com/cli/azure/install-azure-cli',
  },
  { name: 'gh', args: ['--version'], oldest: '2.60', install: 'Install it: https://cli.github.com' },
] as const

/**
 * Checks the versions of what the page's commands and the program run on.
 * @param hasSignIn whether the page uses az and gh
 */
export async function checkTools(
  env: NodeJS.ProcessEnv,
  hasSignIn: boolean,
): Promise<readonly StepFinding[]> {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return Promise.all([
    checkNode(String(fieldOf(fieldOf(manifest, 'engines'), 'node')), env),
    checkPulumi(String(fieldOf(fieldOf(manifest, 'dependencies'), '@pulumi/pulumi')), env),
    ...(hasSignIn ? clients : []).map(client => checkClient(client, env)),
  ])
}

/** Checks the Node on PATH. The one that runs this check can be another: npm puts the project's own first. */
async function checkNode(needed: string, env: NodeJS.ProcessEnv): Promise<StepFinding> {
  const oldest = /\d+(?:\.\d+)*/.exec(needed)?.[0] ?? '0'
  const install = `Install Node.js ${oldest} or newer, and put it first on PATH: https://nodejs.org/en/download`
  const folders = (env['PATH'] ?? '').split(delimiter)
  const own = folders.findIndex(folder => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder))
  const PATH = folders.slice(own < 0 ? folders.length : own).join(delimiter)
  const output = await outputOf('node', ['--version'], { ...env, PATH })
  if (output === null) return missing('node was not found on PATH, and pulumi needs it.', install)
  const found = versionIn(output)
  if (found === null) return missing('node on PATH did not print its version.', install)
  return isAtLeast(found, oldest)
    ? ok(`Node.js ${found}.`)
    : missing(`node on PATH is ${found}, and pulumi needs ${oldest} or newer.`, install)
}

async function checkPulumi(wanted: string, env: NodeJS.ProcessEnv): Promise<StepFinding> {
  const found = (await outputOf('pulumi', ['version'], env))?.trim().replace(/^v/, '')
  if (found === undefined) {
    return missing(
      'pulumi was not found.',
      `curl -fsSL https://get.pulumi.com | sh -s -- --version ${wanted}`,
    )
  }
  return found === wanted
    ? ok(`Pulumi ${found}.`)
    : note(`Pulumi ${shown(found)}. This repository is tested with ${wanted}.`)
}

async function checkClient(
  { name, args, oldest, install }: (typeof clients)[number],
  env: NodeJS.ProcessEnv,
): Promise<StepFinding> {
  const output = await outputOf(name, args, env)
  if (output === null) return note(`${name} was not found. Steps 2, 4, 5 and 6 use az and gh.`)
  const found = versionIn(output)
  if (found !== null && isAtLeast(found, oldest)) return ok(`${name} ${found}.`)
  const is = found === null ? 'did not print its version' : `is ${found}`
  return missing(`${name} on PATH ${is}, and the page needs ${oldest} or newer.`, install)
}

const versionIn = (output: string): string | null => /\d+\.\d+\.\d+/.exec(output)?.[0] ?? null

const isAtLeast = (version: string, oldest: string): boolean =>
  version.localeCompare(oldest, 'en', { numeric: true }) >= 0
