import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { valueAt } from '../json.ts'
import { outputOf } from '../run-program.ts'
import type { Plan } from './local.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, note, missing } = findingsOf('tools')

/** What the page sets for every command of the CLI. */
const variables = { PULUMI_RUN_PROGRAM: 'true', PULUMI_OPTION_POLICY_PACK: 'infra/policy' } as const

/** Checks that the CLI reads with the tokens of the configuration, and that policies judge its runs. */
function checkVariables(env: NodeJS.ProcessEnv): Finding {
  const other = Object.entries(variables).filter(([name, value]) => env[name] !== value)
  if (other.length === 0) return ok(`${Object.keys(variables).join(' and ')} are set.`)
  const names = other.map(([name]) => name).join(' and ')
  return missing(
    `${names} ${other.length === 1 ? 'does' : 'do'} not have the page's value.`,
    `export ${other.map(pair => pair.join('=')).join(' ')}`,
  )
}

/** Checks that the Workers of a stack are in this folder. The program checks that their sources are the present ones. */
export function checkBuilds({ hasSignIn, hasHandler, hasPush, hasClock }: Plan): readonly Finding[] {
  const step = findingsOf(hasSignIn ? 'repository' : 'tools')
  const wanted = { worker: hasHandler, 'push-worker': hasPush, 'clock-worker': hasClock }
  const files = Object.entries(wanted).flatMap(([name, has]) => (has ? [`build/${name}.js`] : []))
  if (files.length === 0) return []
  const absent = files.filter(file => !existsSync(file))
  return absent.length === 0
    ? [step.ok(`npm run build has written ${files.join(' and ')}.`)]
    : [step.missing(`npm run build has not written ${absent.join(' and ')}.`, 'npm run build')]
}

/** Checks what the page's commands and the program run on. @param hasSignIn whether the page uses az and gh */
export async function checkTools(env: NodeJS.ProcessEnv, hasSignIn: boolean): Promise<readonly Finding[]> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const node = /\d+(?:\.\d+)*/.exec(String(valueAt(manifest, 'engines.node')))?.[0] ?? ''
  const pulumi = String(valueAt(manifest, 'dependencies.@pulumi/pulumi'))
  const az = 'https://learn.microsoft.com/cli/azure/install-azure-cli'

  async function check(name: string, argument: string, oldest: string, install: string, isNeeded = true) {
    const output = await outputOf(name, [argument], { ...env, PATH: withoutPackages(env['PATH'] ?? '') })
    if (output === null && isNeeded) return missing(`${name} was not found on PATH.`, install)
    if (output === null) return note(`${name} was not found. Steps 2, 4, 5 and 6 use az and gh.`)
    const found = /\d+\.\d+\.\d+/.exec(output)?.[0]
    if (found !== undefined && found.localeCompare(oldest, 'en', { numeric: true }) >= 0)
      return ok(`${name} ${found}.`)
    const is = found === undefined ? 'did not print its version' : `is ${found}`
    return missing(`${name} on PATH ${is}, and ${oldest} or newer is needed.`, install)
  }

  return Promise.all([
    check('node', '--version', node, 'Install it, first on PATH: https://nodejs.org/en/download'),
    check('pulumi', 'version', pulumi, `curl -fsSL https://get.pulumi.com | sh -s -- --version ${pulumi}`),
    ...(hasSignIn
      ? [
          check('az', 'version', '2.60', `Install it: ${az}`, false),
          check('gh', '--version', '2.60', 'Install it: https://cli.github.com', false),
        ]
      : []),
    checkVariables(env),
  ])
}

/** Returns a PATH without what npm puts first: pulumi runs with another Node than this check. */
function withoutPackages(path: string): string {
  const folders = path.split(delimiter)
  const own = folders.findIndex(folder => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder))
  return folders.slice(own < 0 ? folders.length : own).join(delimiter)
}
