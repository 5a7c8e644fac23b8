import { Resolver } from 'node:dns/promises'
import { Refusal } from '../../program.ts'
import { readHostnames, readList, readPublicOrigin } from '../../settings/readers.ts'
import { pushNames, types } from '../../stack-facts.ts'
import { findIn } from '../../stack-state.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import type { Local } from './local.ts'

const { ok, note, missing } = findingsOf('deploy')
const example = 'https://home.example.com'
const fix = `export HOMEPORT_ORIGIN=${example}`

/** Of one question. */
const timeoutMs = 3000

/**
 * Resolves each host of the sign-in, whose proxy is at home. Hosts without a record of the stack are the operator's to point
 * there.
 */
export async function checkHosts({ stack }: Local, env: NodeJS.ProcessEnv): Promise<readonly StepFinding[]> {
  const settings = stack?.settings ?? null
  const origins = settings?.signIn?.publicOrigins ?? listIn(env['HOMEPORT_ORIGIN'])
  if (origins.length === 0) {
    return [missing('HOMEPORT_ORIGIN is not set.', fix)]
  }
  // Those of a stack have been read.
  const wrong = settings?.signIn
    ? []
    : origins.flatMap(origin => {
        const reading = readPublicOrigin(origin, 'host', example)
        if ('value' in reading) return []
        const shown = JSON.stringify(origin.slice(0, 300))
        return reading.problems.map(one => missing(`HOMEPORT_ORIGIN has ${shown}, which ${one}`, fix))
      })
  if (wrong.length > 0) return wrong
  const hosts = origins.map(origin => URL.parse(origin)?.hostname ?? origin)
  const named = settings ? (settings.record?.plans.map(({ name }) => name) ?? []) : namesIn(env)
  const kept = [...new Set(named)]
  const resolver = connect(env['HOMEPORT_NAME_SERVERS'])
  const isDeployed = stack !== null && findIn(stack.state, types.password) !== null
  const target = kept[0] ?? null
  const home = target === null ? [] : await addressesOf(resolver, target)
  const findings = await Promise.all(
    hosts.map(async host =>
      checkHost(host, await addressesOf(resolver, host), { kept, target, home, isDeployed }),
    ),
  )
  return findings
}

/** Resolves the host of the push endpoint, once its custom domain exists. Before, `checkNames` looks at it. */
export async function checkPushHost(
  { stack }: Pick<Local, 'stack'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly StepFinding[]> {
  const host = stack?.settings?.push?.host
  if (!stack || host === undefined || !findIn(stack.state, types.domain, pushNames.domain)) return []
  const found = await addressesOf(connect(env['HOMEPORT_NAME_SERVERS']), host)
  return [
    found.length > 0
      ? ok(`${host} resolves.`)
      : missing(`${host} does not resolve. A new custom domain takes minutes.`, 'npm run drift'),
  ]
}

interface Home {
  /** Hostnames whose records the stack has. */
  readonly kept: readonly string[]
  /** The first of them; null if the stack has none. */
  readonly target: string | null
  /** Its addresses now. */
  readonly home: readonly string[]
  readonly isDeployed: boolean
}

function checkHost(
  host: string,
  found: readonly string[],
  { kept, target, home, isDeployed }: Home,
): StepFinding {
  const isKept = kept.includes(host)
  if (found.length === 0) {
    const text = `${host} does not resolve.`
    if (isKept) {
      return isDeployed
        ? missing(text, 'pulumi up --run-program --policy-pack infra/policy')
        : note(`${text} The stack creates its record.`)
    }
    const add = `In the dashboard, under DNS, add a CNAME record for ${host}${target === null ? ' that leads to your proxy.' : ` with the target ${target}, not proxied.`}`
    return missing(text, add)
  }
  if (isKept || target === null) return ok(`${host} resolves.`)
  // Before the first round of the action, the kept name has an address where nobody is.
  if (home.length === 0) return note(`${host} resolves. ${target} does not yet, so they were not compared.`)
  return found.some(address => home.includes(address))
    ? ok(`${host} leads to the same address as ${target}.`)
    : missing(
        `${host} leads to another address than ${target}.`,
        `If your proxy at home serves it: in the dashboard, under DNS, make it a CNAME record with the target ${target}, not proxied.`,
      )
}

const listIn = (text: string | undefined): readonly string[] => {
  const reading = readList(text ?? '')
  return 'value' in reading ? reading.value : []
}

const namesIn = (env: NodeJS.ProcessEnv): readonly string[] => {
  const reading = readHostnames(env['HOMEPORT_HOSTNAME'] ?? '')
  return 'value' in reading ? reading.value : []
}

/** @throws Refusal if a name server is not an address with an optional port */
function connect(servers: string | undefined): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (!servers) return resolver
  try {
    resolver.setServers(listIn(servers))
  } catch {
    throw new Refusal('HOMEPORT_NAME_SERVERS has something other than addresses such as 192.0.2.53:53.', 2)
  }
  return resolver
}

/** Resolves to the addresses of a name, or to none if it has none or nobody answers. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.all([
    resolver.resolve4(name).catch(() => []),
    resolver.resolve6(name).catch(() => []),
  ])
  return answers.flat()
}
