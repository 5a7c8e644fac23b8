import { describe, expect, it } from 'vitest'
import { checkCloudflare } from '../../../infra/bootstrap/cloudflare.ts'
import type { Local, Plan } from '../../../infra/bootstrap/local.ts'
import { findingsOf } from '../../../infra/bootstrap/steps.ts'
import { parseState } from '../../../infra/exported-state.ts'
import type { StackSettings } from '../../../infra/settings/stack-settings.ts'
import { namesOf } from '../../../infra/stack-view.ts'
import type { FaultAnswer } from '../../../sandbox/http/faults.ts'
import { methodsSent, missingIn, textsOf, tokenFor, useSetup } from '../support/bootstrap.ts'
import { exported, noState, resourcesWith } from '../support/exported.ts'
import { type Line, matching } from '../support/facts.ts'
import { settingsOf } from '../support/stacks.ts'

const setup = useSetup()

/** What is known without a stack. The stack will have a Worker. */
const nothing = (changes: Partial<Plan> = {}): Local => {
  const { zoneId, accountId } = setup.sandbox.description.cloudflare
  const plan: Plan = {
    hasSignIn: true,
    hasHandler: true,
    hasPush: false,
    hasClock: false,
    hosts: [],
    zoneId,
    accountId,
    records: named('dyn.example.com'),
    ...changes,
  }
  return { findings: [], plan, isUnread: false, stack: null, mintingToken: null, isLocked: false }
}
/** Records of a plan without a stack. */
const named = (...names: readonly string[]) =>
  names.map(name => ({ name, type: 'A', importId: null }) as const)
/** The plan of a record alone. */
const alone = { hasSignIn: false, hasHandler: false, accountId: null }

/** What is known if there is a stack with these settings. */
const localWith = (settings: StackSettings, state = noState): Local => {
  const { record } = settings
  const { apiUrl } = setup.sandbox.description.cloudflare
  const names = namesOf('prod', state)
  const stack = { name: 'prod', ...names, problems: [], apiUrl, state, settings }
  return { ...nothing({ records: record?.plans ?? null }), stack }
}
/** What is known if there is a minting token. It may do what it needs by default. */
const minting = (changes: Partial<Plan> = {}, token = setup.mintingToken) => ({
  ...nothing(changes),
  mintingToken: token,
})

const cloudflare = (local: Local, changes: NodeJS.ProcessEnv = {}) =>
  checkCloudflare(local, { ...setup.env, ...changes })

describe('the tokens', () => {
  it('are checked with GET only, and never printed', async () => {
    const exact = await tokenFor(
      setup,
      ['DNS Write', 'Workers Routes Write'],
      ['Workers Scripts Write', 'D1 Write'],
    )
    const tokens = { CLOUDFLARE_API_TOKEN: exact }
    setup.sandbox.control.clearJournal()
    const findings = await cloudflare(minting(), tokens)
    expect(textsOf(findings)).toContain(
      'The deploy token has DNS Write, Workers Routes Write, Workers Scripts Write, D1 Write.',
    )
    expect(methodsSent(setup)).toEqual(['GET'])
    expect(JSON.stringify(findings)).not.toMatch(new RegExp(`${setup.mintingToken}|${exact}`))
  })

  it('need Workers Scripts, and no routes, for the clock alone', async () => {
    const plan = { hasSignIn: false, hasHandler: false, hasClock: true }
    const texts = textsOf(await cloudflare(minting(plan)))
    expect(texts.join()).toContain('The deploy token may write more than it needs')
    expect(texts.join()).not.toMatch(/ lacks |Workers Routes \(/)
  })

  const deploy = (value: string) => ({ CLOUDFLARE_API_TOKEN: value })
  const reading = (value: string) => ({ CLOUDFLARE_READING_TOKEN: value })
  it.each<[string, () => Promise<[Local, NodeJS.ProcessEnv?]>, ...Line[]]>([
    [
      'lack permissions',
      async () => [
        minting(),
        { ...deploy(await tokenFor(setup, ['DNS Write'])), ...reading(await tokenFor(setup, ['DNS Write'])) },
      ],
      'deploy token … read Workers Routes (Cloudflare answered 403), …',
      'deploy token lacks Workers Routes Write, Workers Scripts Write, D1 Write.',
      'reading token … read … API Tokens (',
      'reading token … more … "DNS Write".',
    ],
    [
      'can read tokens, and not create one',
      async () => [minting({}, await tokenFor(setup, [], [], ['API Tokens Read']))],
      'minting token lacks API Tokens Write.',
      'deploy token … more',
    ],
    [
      'are not set, or do not exist',
      async () => [nothing(), { ...deploy('x'.repeat(40)), ...reading('') }],
      'CLOUDFLARE_MINTING_TOKEN is not set',
      'deploy token … Cloudflare answered 401',
      'CLOUDFLARE_READING_TOKEN is not set',
    ],
    [
      'are IDs',
      async () => [minting(), deploy(setup.sandbox.description.cloudflare.zoneId)],
      'CLOUDFLARE_API_TOKEN is an ID',
    ],
    [
      // As $(cat file) leaves it if an editor of Windows wrote the file.
      'end with a carriage return',
      async () => [minting(), deploy(`${'x'.repeat(40)}\r`)],
      'CLOUDFLARE_API_TOKEN has white space',
    ],
    [
      // Nobody should widen the reading token because it was pasted in both places.
      'are one in two places',
      async () => {
        const both = await tokenFor(setup, ['DNS Read'])
        return [minting(), { ...deploy(both), ...reading(both) }]
      },
      'CLOUDFLARE_API_TOKEN … same … CLOUDFLARE_READING_TOKEN',
      'CLOUDFLARE_READING_TOKEN … same … CLOUDFLARE_API_TOKEN',
    ],
  ])('that %s are named with it', async (_, given, ...expected) => {
    expect(missingIn(await cloudflare(...(await given())))).toEqual(matching(expected))
  })

  it('that the minting token cannot read are not assumed to write', async () => {
    const findings = await cloudflare(minting({}, await tokenFor(setup, ['DNS Read'])))
    expect(missingIn(findings)).toEqual(matching(['minting token lacks API Tokens Write.']))
    // Nobody should widen the deploy token because it was pasted here.
    expect(findings.find(({ level }) => level === 'missing')?.fix).toMatch(/^If this is another token/)
    expect(textsOf(findings).join()).toContain('What the deploy token may write was not checked')
  })

  it('of an account are verified there for a record alone, and not called wrong where they read the zone', async () => {
    const tokens = `/accounts/${setup.sandbox.description.cloudflare.accountId}/tokens`
    const minter = await tokenFor(setup, ['DNS Write'], ['Account API Tokens Write'], [], tokens)
    const verified = async (path?: string, answer?: FaultAnswer) => {
      const given = {
        CLOUDFLARE_API_TOKEN: await tokenFor(setup, ['DNS Write', 'Zone Read'], [], [], tokens),
      }
      setup.sandbox.control.setFaults(
        answer ? [{ match: { service: 'cloudflare', path: `${path}/verify$` }, times: null, answer }] : [],
      )
      const findings = await cloudflare(minting(alone, minter), given)
      setup.sandbox.control.setFaults([])
      return findings
    }
    const done = await verified()
    expect(missingIn(done)).toEqual([])
    // An account's token gives what it has.
    expect(textsOf(done)).toContain('The minting token has Account API Tokens Write, DNS Write.')
    const refused: FaultAnswer = { kind: 'errors', status: 403, errors: [{ code: 9109 }] }
    const byAccount = await verified('user/tokens', refused)
    expect(missingIn(byAccount)).toEqual([])
    expect(textsOf(byAccount)).toContain('The deploy token has DNS Write.')
    const both = await verified('tokens', refused)
    expect(textsOf(both)).toContain(
      'The deploy token was not verified: Cloudflare answered 403. It can read the zone, so it works.',
    )
    expect(missingIn(both).join()).not.toContain('The deploy token')
  })
})

describe('the zone and its records', () => {
  it('lie in the zone, and so do the hosts of Workers', async () => {
    const plan = {
      records: named('home.elsewhere.org'),
      hosts: ['people.elsewhere.org', 'people.example.com'],
    }
    expect(missingIn(await cloudflare(minting(plan)))).toEqual([
      expect.stringMatching(/^home\.elsewhere\.org is not in the zone "example\.com"/),
      expect.stringMatching(/^people\.elsewhere\.org is not in the zone "example\.com"/),
      expect.any(String),
    ])
  })

  it('are reported if they are in the way, with what the program says, unless the stack has or adopts them', async () => {
    const at = setup.sandbox.description.cloudflare
    const existing = await cloudflare(minting({ records: named('home.example.com') }))
    const adopt = existing.find(({ step }) => step === 'stack')
    expect(adopt?.text).toMatch(/^home\.example\.com already has an A record: "[0-9a-f]{32}"\./)

    const settings = (changes: object) =>
      settingsOf({ zoneId: at.zoneId, accountId: at.accountId, hostname: 'home.example.com', ...changes })
    const both = await cloudflare(localWith(settings({ recordType: 'A,AAAA' })))
    expect(textsOf(both)).toContain('The stack creates the record home.example.com AAAA.')
    expect(both.findLast(({ step }) => step === 'stack')?.fix).toMatch(
      /; home\.example\.com A [0-9a-f]{32}", for/,
    )
    const importRecordId = /[0-9a-f]{32}/.exec(adopt?.text ?? '')?.[0] ?? ''
    expect(textsOf(await cloudflare(localWith(settings({ importRecordId }))))).toContain(
      'The stack adopts the record home.example.com A.',
    )
    const state = parseState(
      exported(
        resourcesWith({ recordId: importRecordId }, { record: { name: 'home.example.com', type: 'A' } }),
      ),
    )
    expect(textsOf(await cloudflare(localWith(settings({}), state)))).toContain(
      'The stack has the record home.example.com A.',
    )
  })

  it('need no account, Worker or reading token for a record alone, and no database for the endpoint', async () => {
    const record = await cloudflare(minting(alone), { CLOUDFLARE_READING_TOKEN: '' })
    expect(record).toContainEqual(
      findingsOf('cloudflare').note(
        'CLOUDFLARE_READING_TOKEN is not set, so the reading token was not checked.',
      ),
    )
    expect(textsOf(record).join()).not.toMatch(/lacks|ACCOUNT_ID/)
    const { accountId } = setup.sandbox.description.cloudflare
    const push = await cloudflare(minting({ ...alone, hasPush: true, accountId }))
    expect(textsOf(push)).toContain('The deploy token may read DNS, Workers Routes, Workers Scripts.')
  })
})
