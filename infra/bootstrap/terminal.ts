import { day, type Reader, refuse } from '../../lib/settings/readers.ts'
import { readRows, type ValueOf } from '../../lib/settings/table.ts'
import { keys, type ownKeys } from '../settings/keys.ts'
import { type Finding, findingsOf } from './steps.ts'

/** What the page sets until there is a stack. Each but the last becomes a key, and is read as that. */
const variables = {
  signIn: 'HOMEPORT_SIGN_IN',
  push: 'HOMEPORT_PUSH',
  zoneId: 'CLOUDFLARE_ZONE_ID',
  accountId: 'CLOUDFLARE_ACCOUNT_ID',
  hostname: 'HOMEPORT_HOSTNAME',
  publicOrigin: 'HOMEPORT_ORIGIN',
  allowedDomains: 'HOMEPORT_DOMAIN',
  tokensEnd: 'HOMEPORT_TOKENS_END',
} as const
type Name = keyof typeof variables

/** Returns the variables that would set what a configuration has. @param config texts by full key */
export const terminalOf = (config: ReadonlyMap<string, string>): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(variables).map(([key, variable]) => [variable, config.get(`homeport:${key}`)]),
  )

/** The values that were set, and not refused. */
type Values = {
  readonly [K in Name & keyof typeof ownKeys]?: NonNullable<ValueOf<(typeof ownKeys)[K]>>
}

const readExpiryDay: Reader<number> = text => {
  const reading = day(text)
  return 'value' in reading && reading.value <= Date.now()
    ? refuse(`is in the past (${text}). Set the day on which the tokens expire.`)
    : reading
}

/** Reads the variables that describe a stack until it exists. Returns the problems, too, none of which repeats a token. */
export function readTerminal(env: NodeJS.ProcessEnv): {
  readonly values: Values
  readonly findings: readonly Finding[]
} {
  const isWorker = (env[variables.signIn] || 'worker') === 'worker'
  const needed: readonly Name[] = ['zoneId', 'hostname']
  const ofAccount: readonly Name[] = isWorker || env[variables.push] === 'worker' ? ['accountId'] : []
  const ofWorker: readonly Name[] = isWorker ? ['publicOrigin', 'allowedDomains', 'tokensEnd'] : []
  const names: readonly Name[] = ['signIn', 'push', ...needed, ...ofAccount, ...ofWorker]
  const rows = names.map(name => {
    const { read, default: standard } = name === 'tokensEnd' ? { read: readExpiryDay } : keys[name]
    return [name, { read, ...(standard ? { default: standard } : { fix: 'Set it as the page says.' }) }]
  })
  const texts = Object.fromEntries(names.map(name => [name, env[variables[name]]]))
  const { values, problems } = readRows(Object.fromEntries(rows), texts, {
    // What a reader can need besides earlier values.
    context: { now: Date.now(), basePath: '' },
    // Every row is one of `variables`.
    nameOf: name => variables[name as Name],
  })
  const { missing } = findingsOf('cloudflare')
  return { values, findings: problems.map(text => missing(text, `export ${text.split(' ', 1)[0]}=…`)) }
}
