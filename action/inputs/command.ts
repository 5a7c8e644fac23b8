import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isExposed } from '../../lib/exposed-file.ts'
import { misspelled } from '../../lib/near-names.ts'
import { quote } from '../../lib/quote.ts'
import { readSecretFile } from '../../lib/secret-file.ts'
import { variableOf } from '../../lib/settings/table.ts'
import { version } from '../../lib/version.ts'
import { tokenLink } from '../records/record.ts'
import { type Environment, type Given, unknownName } from './given.ts'
import { maxSecretBytes } from './services.ts'
import { type InputName, inputNames, inputs, secretInputs } from './table.ts'

const variablePrefix = 'HOMEPORT_'
/** Flags that are not inputs. */
const valueFlags = ['api-token-file', 'watch'] as const
const switches: readonly string[] = ['json', 'quiet', 'help', 'version']
const inputFlags = inputNames.filter(name => !inputs[name].secret)
const allFlags: readonly string[] = [...inputFlags, ...valueFlags, ...switches]

const tokenHint =
  'Use --api-token-file FILE, the environment variable HOMEPORT_API_TOKEN, or a systemd credential named api-token. ' +
  `To create one, open ${tokenLink} and select this zone only.`

/**
 * Reads flags and `HOMEPORT_*`, in this order of precedence. Secrets have no flag: they come from `--api-token-file`, the
 * environment, or `CREDENTIALS_DIRECTORY`.
 */
export function commandInputs(args: readonly string[], env: Environment) {
  const problems: string[] = []
  const flags = readFlags(args, problems)
  const isRefused = args.some(argument => /^--api-token(=|$)/.test(argument))
  const tokenFile = flags.get('api-token-file')
  const tokenFromFile =
    tokenFile === undefined ? undefined : readSecret('api-token-file', tokenFile, problems)
  const warnings =
    tokenFile !== undefined && isExposed(tokenFile, env)
      ? [
          `api-token-file: ${quote(tokenFile)} can be read by every user of this host. Run chmod 600 on it, and replace the ` +
            'token if somebody may have seen it.',
        ]
      : []
  checkVariables(env, flags, problems)
  const isSet = (name: InputName) => Boolean(env[variableName(name)]?.trim())
  // If only variables are set, such as for a unit of systemd, messages name variables.
  const hasFlags = inputFlags.some(name => flags.has(name)) || !inputFlags.some(isSet)
  const isFlag = (name: InputName) => flags.has(name) || (hasFlags && !isSet(name))
  const folder = env['CREDENTIALS_DIRECTORY'] ?? ''
  const credentials = readCredentials(folder, problems)
  // A blank variable counts as left out, such as an empty one of an env file.
  const textOf = (name: InputName) =>
    (name === 'api-token' ? tokenFromFile : flags.get(name)) ??
    (isSet(name) ? env[variableName(name)] : credentials.get(name))
  const given: Given = {
    texts: {
      ...Object.fromEntries(inputNames.map(name => [name, textOf(name)])),
      '--watch': flags.get('watch'),
    },
    problems,
    warnings,
    nameOf: text => {
      const name = inputFlags.find(input => input === text)
      return name === undefined ? text : isFlag(name) ? `--${name}` : variableName(name)
    },
    // What could not be read is not missing as well.
    tokenHint:
      isRefused || tokenFromFile === null || credentials.get('api-token') === null ? null : tokenHint,
    tokenFile:
      tokenFile ?? (isSet('api-token') || !credentials.has('api-token') ? null : join(folder, 'api-token')),
  }
  return {
    given,
    help: flags.has('help'),
    version: flags.has('version'),
    json: flags.has('json'),
    quiet: flags.has('quiet'),
  }
}

/** Reads `--name VALUE` and `--name=VALUE`. A flag given again adds a line. An input that is true or false needs no value. */
function readFlags(args: readonly string[], problems: string[]): ReadonlyMap<string, string> {
  const options = Object.fromEntries(
    allFlags.map(name => [name, { type: isSwitch(name) ? ('boolean' as const) : ('string' as const) }]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const flags = new Map<string, string>()
  let refusedAt = Number.NaN
  for (const token of tokens) {
    const { index } = token
    const argument = args[index] ?? ''
    // What follows a flag that is refused is probably its value, which may be a secret. The letters of -abc are one argument.
    if (index === refusedAt || (index === refusedAt + 1 && !argument.startsWith('--'))) continue
    const problem = problemOf(token, argument)
    if (problem !== null) {
      problems.push(problem)
      if (token.kind === 'option') refusedAt = index
    } else if (token.kind === 'option') {
      const { name, value = 'true' } = token
      flags.set(name, flags.has(name) ? `${flags.get(name)}\n${value}` : value)
    }
  }
  return flags
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** Returns why an argument is not a flag with its value, or null if it is. */
function problemOf(token: Token, argument: string): string | null {
  if (token.kind !== 'option' || !token.rawName.startsWith('--')) {
    return `${quote(argument)} is not a flag. Flags start with --, as in --hostname home.example.com.`
  }
  const { name, value } = token
  // A flag can have any name.
  if (inputs[name as InputName]?.secret) {
    return (
      `--${name} is not a flag, because every user of the host can see a command line. ` +
      (name === 'api-token' ? tokenHint : `Set ${variableName(name)}.`)
    )
  }
  if (!allFlags.includes(name)) {
    const known = allFlags.map(flag => `--${flag}`)
    return unknownName(`--${name}`, 'a flag', known, '--help')
  }
  if (value !== undefined && switches.includes(name)) {
    return `--${name} takes no value. Remove =${quote(value)}.`
  }
  const isMissing = value === undefined ? !isSwitch(name) : value === '' && name === 'watch'
  return isMissing ? `--${name} has no value. Write --${name} VALUE.` : null
}

function variableName(name: string): string {
  return variablePrefix + variableOf(name)
}

function isSwitch(name: string): boolean {
  // A flag can have any name.
  return switches.includes(name) || inputs[name as InputName]?.value === ''
}

/**
 * Reports wrong names of variables. Other programs use the prefix too, this project's and Kubernetes among them, so only a
 * misspelled name is refused, and only if nothing else sets what it was meant to set.
 */
function checkVariables(env: Environment, flags: ReadonlyMap<string, string>, problems: string[]): void {
  for (const flag of valueFlags) {
    if (env[variableName(flag)]?.trim() && !flags.has(flag))
      problems.push(`${variableName(flag)} is not a variable of Homeport. Use the flag --${flag}.`)
  }
  const known = inputNames.map(variableName)
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith(variablePrefix) || known.includes(variable)) continue
    const name = misspelled(variable.slice(variablePrefix.length), inputNames)
    if (name === null || env[variableName(name)]?.trim() || flags.has(name)) continue
    const meant = variableName(name)
    problems.push(
      `${quote(variable)} is not a variable of Homeport, and ${meant} is not set. Use ${meant}, or remove the other.`,
    )
  }
}

/** Reads the secrets that systemd passes as files (systemd.exec(5), LoadCredential=). */
function readCredentials(folder: string, problems: string[]): ReadonlyMap<InputName, string | null> {
  const found = new Map<InputName, string | null>()
  if (!folder) return found
  for (const name of secretInputs) {
    const file = join(folder, name)
    if (existsSync(file)) found.set(name, readSecret('CREDENTIALS_DIRECTORY', file, problems))
  }
  return found
}

/** Returns the secret in a file, or null after it has added a problem. */
function readSecret(what: string, file: string, problems: string[]): string | null {
  const reading = readSecretFile(file, maxSecretBytes)
  if ('value' in reading) return reading.value
  problems.push(`${what}: ${quote(file)} ${reading.problem}`)
  return null
}

const helpColumn = 36

/** Returns the text of `--help`: every flag, what it is for, and its default. */
export function helpText(): string {
  const flags = inputFlags.map(name => {
    const { default: text = '', value = 'VALUE', help = '' } = inputs[name]
    const shown = text === '' || value === '' ? help : `${help} (default: ${text})`
    return `  ${`--${name} ${value}`.padEnd(helpColumn)}${shown}`
  })
  return `homeport ${version}: keeps DNS records pointed at the public address of this host.

Usage: homeport --api-token-file FILE --hostname NAME [--zone-id ID] [flags]

  --api-token-file FILE               file that holds the API token
  --watch DURATION                    check every DURATION, from 1s to 24h, until stopped
  --json                              print one JSON object per check on stdout, and the log on stderr
  --quiet                             print changes and failures only
  --help, --version

${flags.join('\n')}

In a list, use commas, or repeat the flag. Each is also a variable, such as HOMEPORT_ZONE_ID, which a flag overrides.
The token comes from --api-token-file, HOMEPORT_API_TOKEN or $CREDENTIALS_DIRECTORY/api-token. The exit status is 0
if every record is correct. More: https://github.com/OWNER/homeport/blob/main/docs/inputs.md
`
}
