import { setTimeout } from 'node:timers/promises'
import { test as base, expect } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import type { Fault } from '../../sandbox/http/faults.ts'
import type { JournalEntry } from '../../sandbox/http/journal.ts'
import { type SandboxDescription, startSandbox } from '../../sandbox/sandbox.ts'
import { stateOf } from '../../sandbox/testing/state.ts'
import { metadata, runAction, type StepOptions, type StepRun } from './runner.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** How a scenario differs from a plain run. */
interface ScenarioOptions extends StepOptions {
  /** Number of requests to servers of the scenario, which are not in the journal of the sandbox. */
  readonly unseenRequests?: number
}

/** A record for the zone, with the fields that matter to a scenario. */
export type RecordSketch = Partial<DnsRecord> & Pick<DnsRecord, 'content'>

/** A sandbox for one scenario, and the action's bundle to run against it. */
export type Stage = Awaited<ReturnType<typeof startStage>>

/** The address in the record at the start, and the address that the echo services return. */
export const before = '192.0.2.10'
export const after = '203.0.113.10'

/** Starts a sandbox for a scenario. */
export async function startStage() {
  const { description, control, close } = await startSandbox()
  const { cloudflare, echo } = description
  const journal = () => [...control.journal()]
  const records = () => stateOf(control).records[cloudflare.zoneId] ?? []
  /** Returns the inputs for a run on `home.example.com`, with the token, zone and echo services of the sandbox. */
  const inputsOf = (
    inputs: Readonly<Record<string, string>> = {},
  ): Readonly<Record<string, string>> & { readonly 'api-token': string } => ({
    'api-token': cloudflare.dnsToken,
    'zone-id': cloudflare.zoneId,
    hostname: 'home.example.com',
    ...('address' in inputs ? {} : { 'address-sources': echo.join('\n') }),
    'base-url': cloudflare.baseUrl,
    'allow-reserved-address': 'true',
    'mask-address': 'false',
    timeout: '60s',
    ...inputs,
  })
  return {
    description: description as SandboxDescription,
    inputs: inputsOf,
    /** Variables for a run of the command on `home.example.com`, with what `inputs` gives an action. Flags override them. */
    variables: {
      HOMEPORT_API_TOKEN: cloudflare.dnsToken,
      HOMEPORT_ZONE_ID: cloudflare.zoneId,
      HOMEPORT_HOSTNAME: 'home.example.com',
      HOMEPORT_ADDRESS_SOURCES: echo.join(),
      HOMEPORT_BASE_URL: cloudflare.baseUrl,
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    } as Readonly<Record<string, string>>,
    control,
    journal,
    records,
    close,

    /** Resolves once a service has received a request with this method. */
    async received(method: string): Promise<void> {
      while (!control.journal().some(entry => entry.method === method)) await setTimeout(10)
    },

    /** Runs the action with these inputs. */
    async run(
      inputs: Readonly<Record<string, string>> = {},
      options: ScenarioOptions = {},
    ): Promise<StepRun> {
      control.clearJournal()
      const given = inputsOf(inputs)
      const run = await runAction(given, options)
      expectSound(run, control.journal(), given['api-token'], options.unseenRequests ?? 0)
      return run
    },

    /** Replaces the records of the zone. The type defaults to A, the name to home.example.com. */
    setRecords(...sketches: readonly RecordSketch[]): readonly DnsRecord[] {
      const whole = sketches.map(sketch => ({ type: 'A', name: 'home.example.com', ttl: 120, ...sketch }))
      control.setState({ records: { [cloudflare.zoneId]: whole } })
      return records()
    },

    /** Sets what the three echo services answer: one address for all, or one each. */
    setEchoes(...addresses: readonly string[]): void {
      const answers = echo.map((_, index) => ({ body: addresses[index] ?? addresses[0] ?? '' }))
      control.setState({ echo: answers })
    },

    setFaults: (...faults: readonly Fault[]) => control.setFaults(faults),

    /**
     * Returns the requests to the DNS service since the last run started: `GET dns_records?name=home.example.com`. Leaves
     * out that a list also asks for shadow metadata, as it does with every token of the sandbox.
     */
    dnsRequests(): readonly string[] {
      const entries = control.journal().filter(entry => entry.service === 'cloudflare')
      const zone = `/client/v4/zones/${cloudflare.zoneId}/`
      return entries.map(({ method, path, query }) => {
        const place = path.startsWith(zone) ? path.slice(zone.length) : path
        const asked = query.replace(/&include_shadow_metadata=true$/, '')
        return `${method} ${place}${asked === '' ? '' : `?${asked}`}`
      })
    },

    /** Counts the requests to each echo service since the last run started. */
    echoRequests(): readonly number[] {
      const entries = control.journal().filter(entry => entry.service === 'echo')
      return echo.map((_, index) => entries.filter(entry => entry.instance === index).length)
    },
  }
}

/**
 * Checks what must hold for every run:
 * - It is green exactly if it has a result other than `failed`, and has a reason exactly if it failed.
 * - A failure is an error whose title names the reason.
 * - It sets the declared outputs and no others, and counts its requests correctly.
 * - Every request to the service has the headers of the API.
 * - The token appears only in mask commands and in the Authorization header to the service.
 */
function expectSound(
  run: StepRun,
  journal: readonly JournalEntry[],
  token: string,
  unseenRequests: number,
): void {
  const { result, reason, requests } = run.outputs
  if (run.status === 0)
    expect(result, 'green without a result').toMatch(/^(unchanged|updated|created|would-(update|create))$/)
  else expect(result === undefined || result === 'failed', `red with result ${result}`).toBe(true)
  if (result !== undefined) {
    expect(Object.keys(run.outputs).toSorted()).toEqual(Object.keys(metadata.outputs).toSorted())
    expect(reason !== '', 'a reason exactly if it failed').toBe(result === 'failed')
    const http = journal.filter(({ service }) => service !== 'dns')
    expect(Number(requests)).toBe(http.length + unseenRequests)
    const errors = run.annotations.filter(({ level }) => level === 'error')
    if (result === 'failed') {
      expect(errors.map(({ title }) => title)).toContain(`Homeport: ${reason}`)
      if (run.summary !== '') expect(run.summary).toContain(reason)
    } else {
      expect(errors).toEqual([])
    }
  }

  const forms = [
    token,
    token.toUpperCase(),
    encodeURIComponent(token),
    Buffer.from(token).toString('base64'),
    Buffer.from(token).toString('base64url'),
    Buffer.from(token).toString('hex'),
  ].filter(form => form.trim().length >= 8)
  for (const form of forms) {
    expect(run.rawWithoutMasks).not.toContain(form)
    expect(run.log).not.toContain(form)
    expect(run.files).not.toContain(form)
  }
  for (const { service, method, path, query, headers, body } of journal) {
    const { authorization, ...others } = headers
    const elsewhere = `${path} ${query} ${body} ${JSON.stringify(others)}`
    for (const form of forms) expect(elsewhere).not.toContain(form)
    if (service === 'cloudflare') {
      expect(authorization).toMatch(/^Bearer /)
      expect(headers['content-type'], `${method} without a JSON content type`).toBe('application/json')
    } else {
      expect(authorization).toBeUndefined()
    }
  }
}

/** Runs a test with a stage of its own, and a folder that is removed afterwards if the test asks for one. */
export const scenario = base.extend<{ stage: Stage; folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's dependencies from this pattern
  stage: async ({}, use) => {
    const stage = await startStage()
    await use(stage)
    await stage.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  folder: async ({}, use) => {
    const folder = temporaryFolder()
    await use(folder)
  },
})

export const list = 'GET dns_records?name=home.example.com'
/** The first records of the zone, read before a creation to see whether the zone can hold the name. */
export const zoneNames = 'GET dns_records'
export const put = (record: DnsRecord | undefined) => `PUT dns_records/${record?.id}`

/** Match listing and replacing records, for faults. */
export const onList = { service: 'cloudflare', method: 'GET', path: 'dns_records$' } as const
export const onPut = { service: 'cloudflare', method: 'PUT', path: 'dns_records/' } as const
