import { CommandError } from '../../lib/command.ts'
import { type Accounts, explainLeft, prefix, refuseProduction, removeLeft } from '../support/accounts.ts'
import { runCommand } from '../support/command.ts'
import { openDouble } from '../support/double.ts'
import { createMask } from '../support/mask.ts'
import { type Exchange, record } from '../support/recorder.ts'
import { ask } from '../support/services.ts'
import { namesIn, type Print, report, unknownToken, writeRecording } from './recording.ts'
import { after, after6, type Scenario, scenarios } from './scenarios.ts'

/** Plays a scenario. Resolves to what was said, not masked. @param created gets what was created */
export async function play(
  given: Accounts,
  { given: records = [], at: labels = ['home'], flags = [], token, zone, runs = 1 }: Scenario,
  created = new Set<string>(),
): Promise<readonly Exchange[]> {
  const { accounts, said, close } = await record(given)
  const { apiUrl, zoneId, zoneName, adminToken } = accounts.cloudflare
  const nameOf = (at: string) => (at.endsWith('.') ? at.slice(0, -1) : `${at}.${prefix}-names.${zoneName}`)
  try {
    for (const { at = 'home', ...fields } of records) {
      const body = { ttl: 120, proxied: false, ...fields, name: nameOf(at) }
      created.add(`the record ${body.name}`)
      await ask('POST', `${apiUrl}/zones/${zoneId}/dns_records`, adminToken, body)
    }
    const addresses = flags.includes('AAAA') ? [after6] : flags.includes('A,AAAA') ? [after, after6] : [after]
    const args = [
      ...['--json', '--allow-reserved-address', '--base-url', apiUrl],
      ...(zone === 'none' ? [] : ['--zone-id', zone === 'wrong' ? 'f'.repeat(32) : zoneId]),
      ...labels.flatMap(at => ['--hostname', nameOf(at)]),
      ...addresses.flatMap(address => ['--address', address]),
      ...flags,
    ]
    const tokens = { narrow: accounts.narrowToken ?? '', unknown: unknownToken, malformed: 'malformed' }
    for (let count = 0; count < runs; count++)
      await runCommand(args, { HOMEPORT_API_TOKEN: token ? tokens[token] : adminToken })
    return said
  } finally {
    close()
  }
}

interface Terms {
  readonly print: Print
  /** Where to record. */
  readonly folder?: string | undefined
  readonly list?: readonly Scenario[]
}

/** Plays scenarios, and replays each at the double. Returns how many differ. @throws CommandError that says what is left */
export async function runScenarios(
  accounts: Accounts,
  { print, folder, list = scenarios }: Terms,
): Promise<number> {
  await refuseProduction(accounts, false)
  await removeLeft(accounts)
  await using open = new AsyncDisposableStack()
  const double = open.adopt(await openDouble(1), one => one.close())
  const names = namesIn(accounts)
  const created = new Set<string>()
  let count = 0
  try {
    for (const scenario of list) {
      const { name, token } = scenario
      if (token === 'narrow' && !accounts.narrowToken) {
        print(`not asked ${name}: there is no narrowToken`)
        continue
      }
      const mask = createMask(names)
      const exchanges = mask(await play(accounts, scenario, created))
      await removeLeft(accounts)
      created.clear()
      if (folder) await writeRecording(folder, { name, exchanges }, names, mask)
      count += await report({ name, exchanges }, double, print)
    }
    return count
  } catch (error) {
    await removeLeft(accounts).catch(() => [])
    throw new CommandError(`${(error as Error).message}. ${await explainLeft(accounts, created)}`, {
      cause: error,
    })
  }
}
