import { readFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { valueAt } from '../../json.ts'
import { outputOf } from '../../program.ts'
import { type Finding, findingsOf } from './steps.ts'

const { ok, note, missing } = findingsOf('tools')

/** Checks the versions of what the page's commands and the program run on. @param hasSignIn whether the page uses az and gh */
export async function checkTools(env: NodeJS.ProcessEnv, hasSignIn: boolean): Promise<readonly Finding[]> {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
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
  ])
}

/** Returns a PATH without what npm puts first: pulumi runs with another Node than this check. */
function withoutPackages(path: string): string {
  const folders = path.split(delimiter)
  const own = folders.findIndex(folder => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder))
  return folders.slice(own < 0 ? folders.length : own).join(delimiter)
}
