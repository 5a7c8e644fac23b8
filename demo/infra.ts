import { parseArgs, styleText } from 'node:util'
import { judge, resourceRules, stackRules } from '../infra/policy/rules.ts'
import { type ProgramRun, runProgram } from '../sandbox/pulumi/engine/engine.ts'
import type { GraphResource } from '../sandbox/pulumi/engine/graph.ts'
import { asProperties, type Json } from '../sandbox/pulumi/properties.ts'
import { bundleWorker } from '../tools/worker.ts'
import { declaredIn } from './declared.ts'
import { cannedSecrets, Deployment, demoConfig, demoHosts, program } from './deployment.ts'

const help = `Shows what the Pulumi program declares, creates it in the sandbox, and checks the result.

  npm run demo -- infra [options]

  --graph     only show what is declared, and check the policies; uses no service
  --help      show this help

The program runs unchanged in an embedded engine, which creates resources but compares nothing with an earlier state.
For the real engine, see npm run test:engine. Exit status: 0 if every step succeeded.
`

const write = (text: string) => void process.stdout.write(`${text}\n`)
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Runs the demo. Resolves to the exit status. */
export async function run(args: string[]): Promise<number> {
  let options: { readonly graph: boolean; readonly help: boolean }
  try {
    const boolean = { type: 'boolean', default: false } as const
    options = parseArgs({ args, options: { graph: boolean, help: boolean } }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${reason}\nSee npm run demo -- infra --help.\n`)
    return 2
  }
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  const show = new Show()
  if (options.graph) {
    await bundleWorker()
    const place = { zoneId: '0'.repeat(32), accountId: 'f'.repeat(32) }
    const config = demoConfig(place)
    const run = await runProgram({ program, stack: 'demo', config, secrets: cannedSecrets })
    show.program(run)
    return show.good ? 0 : 1
  }
  const deployment = await Deployment.start()
  try {
    const startedMs = performance.now()
    const run = await deployment.up()
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    show.program(run)
    if (run.succeeded) await show.made(deployment, run, seconds)
    return show.good ? 0 : 1
  } finally {
    await deployment.close()
  }
}

/** Prints the steps, and remembers whether all succeeded. */
class Show {
  good = true

  /** Shows what was declared, and checks the policies. */
  program({ graph, log, succeeded }: ProgramRun): void {
    write(bold('\nWhat the program declares'))
    if (!succeeded) {
      this.check('program', false, 'failed')
      for (const { message } of log) write(message)
      return
    }
    for (const resource of graph.resources.filter(({ custom }) => custom)) write(describe(resource))
    write(bold('\nThe policies'))
    const findings = judge(declaredIn(graph))
    for (const { rule, resource, message } of findings) this.check(rule, false, `${resource} ${message}`)
    const rules = resourceRules.length + stackRules.length
    if (findings.length === 0) this.check('policies', true, `${rules} rules hold`)
  }

  /** Checks what the services report about the created resources. */
  async made(deployment: Deployment, { graph, outputs }: ProgramRun, seconds: string): Promise<void> {
    const { zoneId, dnsToken, redirectUri } = outputs.value
    const custom = graph.resources.filter(resource => resource.custom)
    write(bold('\nWhat the services report'))
    this.check('engine', true, `created ${custom.length} resources in the sandbox in ${seconds} s`)

    const token = String(dnsToken)
    const zone = `/zones/${String(zoneId)}/dns_records`
    const records = await deployment.cloudflare('GET', `${zone}?name=${demoHosts.dynamic}`, { token })
    const [record] = resultOf(records.body)
    const seen = `${record?.['name']} ${record?.['type']} ${record?.['content']} ttl ${record?.['ttl']}`
    this.check(
      'record',
      record?.['ttl'] === 120 && record['proxied'] === false,
      `${seen}, read with the new token`,
    )
    const beyond = await deployment.cloudflare('GET', '/user/tokens', { token })
    this.check('token', beyond.status === 403, `refused (${beyond.status}) outside its zone`)
    this.check('GitHub', deployment.handedOver.length === 3, `has ${deployment.handedOver.join(', ')}`)

    const { good, output } = await deployment.afterUp({ ...outputs.value, dnsToken: '[secret]' })
    this.check('after-up', good, output.split('\n').join('; '))
    const health = await deployment.handler('/healthz')
    this.check(
      'handler',
      health.status === 200,
      `https://${demoHosts.signIn}/healthz answers ${health.status}`,
    )
    const login = await deployment.handler('/api/auth/login-url')
    const asked = new URL(asProperties(JSON.parse(login.body))['url'] as string).searchParams.get(
      'redirect_uri',
    )
    const registered = asProperties(inputsOf(graph.resources, 'sign-in-registration')['web'])['redirectUris']
    const same = asked === redirectUri && JSON.stringify(registered) === JSON.stringify([asked])
    this.check('redirect', same, `${asked} in the authorization URL, the registration and the output`)
    write(dim('\nAll services were emulated on this machine. Nothing left it.'))
  }

  check(who: string, good: boolean, detail: string): void {
    this.good &&= good
    const sign = good ? styleText('green', '✓') : styleText('red', '✗')
    write(`   ${sign} ${who.padEnd(13)}${detail}`)
  }
}

/** Describes a resource in one line: type, name, main inputs and options. */
function describe({ type, name, inputs, options, provider }: GraphResource): string {
  const [last = type, ...rest] = type.split(':').toReversed()
  const kind = rest[0] === 'providers' ? `provider ${last}` : last
  const shown = [
    'name',
    'displayName',
    'hostname',
    'scriptName',
    'secretName',
    'variableName',
    'endDate',
    'ttl',
  ]
  const facts = shown.flatMap(key => (inputs[key] === undefined ? [] : [`${key} ${plain(inputs[key])}`]))
  const kept = [
    ...(options.protect ? ['protected'] : []),
    ...(options.ignoreChanges ? [`other owners: ${options.ignoreChanges.join(' ')}`] : []),
    ...(options.deleteBeforeReplace ? ['deleted before replacement'] : []),
    ...(provider === '' ? [] : [`provider ${provider.split('::').at(-1)}`]),
  ]
  return `   ${kind.padEnd(28)}${name.padEnd(30)}${dim([...facts, ...kept].join(', '))}`
}

const plain = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value))

const inputsOf = (resources: readonly GraphResource[], name: string) =>
  resources.find(resource => resource.name === name)?.inputs ?? {}

function resultOf(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { result } = body as { result?: readonly Readonly<Record<string, unknown>>[] | null }
  return result ?? []
}
