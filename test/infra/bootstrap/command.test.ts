import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findingsOf, headingsOf, reportOf } from '../../../infra/bootstrap/steps.ts'
import { clockNames, types } from '../../../infra/resource-names.ts'
import { readStack } from '../../../infra/stack-view.ts'
import { cloudflareApiUrl } from '../../../lib/cloudflare.ts'
import { createClientCertificate } from '../../../sandbox/testing/client-certificate.ts'
import { root } from '../../../tools/bundle.ts'
import { startNode } from '../../support/command.ts'
import { minimalConfig, sessionKeys } from '../../support/configuration.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { useSetup } from '../support/bootstrap.ts'
import { emulatedCli, runInProcess } from '../support/commands.ts'
import { exported, resourcesWith } from '../support/exported.ts'

const setup = useSetup()

it('the report names the first step that lacks something, in the order of the page', () => {
  const missingFrom = (step: 'deploy' | 'entra') => findingsOf(step).missing(`About ${step}.`, `fix ${step}`)
  const tools = findingsOf('tools').note('About tools.')
  expect(reportOf([missingFrom('deploy'), missingFrom('entra'), tools], headingsOf(true), [])).toBe(
    '1. Install the tools\n  note    About tools.\n\n4. Create the applications for CI\n  missing About entra.\n\n' +
      '8. Deploy\n  missing About deploy.\n\n' +
      'Not checked: 6. Set up GitHub; 9. Hand over the token; 10. Let CI deploy.\n' +
      '2 things are missing. Next, as docs/deploy.md says under "4. Create the applications for CI":\n' +
      '  About entra.\n  fix entra\n',
  )
  expect(reportOf([tools], headingsOf(true), ['the host'])).toMatch(
    /^Nothing is missing\. Not checked: 6.*; the host\.$/m,
  )
})

describe('npm run bootstrap', () => {
  it('explains itself', async () => {
    const { output } = await startNode(['infra/bootstrap/bootstrap.ts', '--help'], {}, { cwd: root }).ended
    expect(output).toMatch(/^Usage: npm run bootstrap/)
  })

  it('continues without tools and credentials, and says what to set', async () => {
    const { status, output, problem } = await runInProcess(
      'bootstrap',
      [],
      { PATH: '/nowhere' },
      temporaryFolder(),
    )
    expect({ status, problem }).toEqual({ status: 1, problem: '' })
    for (const text of [
      'pulumi was not found on PATH.',
      'PULUMI_BACKEND_URL is not set.',
      'There is no stack yet: no file Pulumi.NAME.yaml is in this folder.',
      'CLOUDFLARE_ZONE_ID is missing',
      'ARM_CLIENT_ID is not set',
      'CLOUDFLARE_MINTING_TOKEN is not set',
    ])
      expect(output).toContain(`  missing ${text}`)
    expect(output).toMatch(
      /Next, as docs\/deploy\.md says under "1\. Install the tools":\n {2}node was not found on PATH\.\n {2}Install/,
    )
  })

  describe('with a stack', () => {
    const config = { 'homeport:signIn': { value: 'none' }, 'homeport:hostname': { value: 'dyn.example.com' } }
    const provider = (apiToken: string) => ({
      type: 'pulumi:providers:cloudflare',
      name: 'default',
      id: 'provider',
      inputs: { apiToken: { plaintext: JSON.stringify(apiToken) } },
    })
    const configured = (more: object = {}) =>
      JSON.stringify({
        ...config,
        'homeport:zoneId': { value: setup.sandbox.description.cloudflare.zoneId },
        'homeport:mintingApiToken': { secret: true },
        ...more,
      })
    /** Runs it in a folder with a stack file. @param secrets the decrypted configuration; null without the passphrase */
    async function look(
      secrets: object | null,
      changes: NodeJS.ProcessEnv = {},
      folder = temporaryFolder(),
    ): Promise<string> {
      await writeFile(join(folder, 'Pulumi.dev.yaml'), 'config:\n  homeport:signIn: none\n')
      const stack = {
        PATH: emulatedCli,
        PULUMI_BACKEND_URL: 'file://state',
        ANSWER_CONFIG: configured(),
        ANSWER_STATE: exported([provider('a'.repeat(40))]),
        ...changes,
      }
      // With the passphrase, the CLI prints what is not secret, too.
      const all = { ...JSON.parse(stack.ANSWER_CONFIG), ...secrets }
      const ANSWER_SECRETS = secrets === null ? '' : JSON.stringify(all)
      return (await runInProcess('bootstrap', [], { ...setup.env, ...stack, ANSWER_SECRETS }, folder)).output
    }
    const minted = (value: string) => ({ 'homeport:mintingApiToken': { value } })

    it('says that its secrets cannot be decrypted', async () => {
      const output = await look(null)
      expect(output).toContain(
        "The CLI cannot decrypt the stack's secrets: PULUMI_CONFIG_PASSPHRASE is missing",
      )
      expect(output).toMatch(/^ {2}ok {6}The stack is \w+\.$/m)
      expect(output).not.toContain('mintingApiToken is not set')
      expect(output).toContain('The stack creates the record dyn.example.com A.')
    })

    it('says how far it is deployed, with its clock', async () => {
      const [root, record, token] = resourcesWith({ recordId: 'r', dnsTokenId: 't', tenantId: 'id' })
      const trigger = { type: types.trigger, name: clockNames.trigger, id: 'trigger' }
      const clock = {
        'homeport:accountId': { value: setup.sandbox.description.cloudflare.accountId },
        'homeport:clock': { value: 'you/dns/dns.yml' },
        'homeport:clockToken': { secret: true },
      }
      const [part, whole] = [
        'missing The stack has been deployed in part.',
        'ok      The stack has been deployed.',
      ]
      for (const [state, more, said] of [
        [[], {}, 'missing The stack has not been deployed.'],
        // As destroy --exclude-protected leaves it.
        [[root, record], {}, part],
        [[record, token], {}, whole],
        [[record, token], clock, part],
        [[record, token, trigger], clock, whole],
      ] as const) {
        const ANSWER_STATE = exported(state.flatMap(one => one ?? []))
        expect(await look(null, { ANSWER_CONFIG: configured(more), ANSWER_STATE })).toContain(`  ${said}`)
      }
    })

    it('misses the secrets that the stack is to have', async () => {
      const { secretRotationA: _, secretRotationB: __, ...given } = minimalConfig
      const own = Object.entries({ ...given, credential: 'certificate' })
      const ANSWER_CONFIG = JSON.stringify(
        Object.fromEntries(own.map(([key, value]) => [`homeport:${key}`, { value }])),
      )
      const change = { ANSWER_CONFIG, HOMEPORT_SIGN_IN: undefined }
      const missed = async (secrets: object) =>
        /^ {2}missing homeport:\w+.*$/gm[Symbol.match](await look(secrets, change))
      expect(await missed({})).toEqual([
        expect.stringContaining('homeport:sessionKeys is missing. '),
        expect.stringContaining('homeport:clientCertificate is missing. '),
      ])
      const value = createClientCertificate().pem
      const set = { 'homeport:clientCertificate': { value }, 'homeport:sessionKeys': { value: 'k1:short' } }
      expect(await missed(set)).toEqual([expect.stringContaining('homeport:sessionKeys ')])
      expect(await missed({ ...set, 'homeport:sessionKeys': { value: sessionKeys } })).toBeNull()
    })

    it('checks the minting token that the stack has, not the one that the terminal still has', async () => {
      const given = { CLOUDFLARE_MINTING_TOKEN: setup.mintingToken }
      expect(await look(minted('x'.repeat(40)), given)).toContain('missing The minting token is not valid')
      expect(await look({ 'homeport:other': { value: 'x' } }, given)).toMatch(
        /^4\. Create the stack\n(?: .*\n)* {2}missing mintingApiToken is not set, so the minting token was not checked\.$/m,
      )
    })

    it('checks what the stack has, and not what the terminal sets, if a key is wrong', async () => {
      const ANSWER_CONFIG = configured({ 'homeport:hostnam': { value: 'x' } })
      const output = await look({}, { ANSWER_CONFIG, HOMEPORT_HOSTNAME: 'shell.example.com' })
      expect(output).toContain('homeport:hostnam')
      expect(output).toContain('The stack creates the record dyn.example.com A.')
      expect(output).not.toContain('shell.example.com')
    })

    it('misses the Workers that were not built', async () => {
      const wanted = { HOMEPORT_SIGN_IN: 'worker', HOMEPORT_PUSH: 'worker' }
      const missed = 'npm run build has not written build/worker.js and build/push-worker.js.'
      expect(await look({}, wanted)).toContain(`2. Copy the repository\n  missing ${missed}\n`)
    })

    it('says that the terminal wants another sign-in than the stack has, before what the tokens lack', async () => {
      const output = await look({}, { HOMEPORT_SIGN_IN: 'host' })
      expect(output).toContain('HOMEPORT_SIGN_IN is "host", and the stack\'s key signIn is')
      expect(output).not.toContain('D1')
    })

    it('compares the terminal with the stack that it reads, and not with another one of the folder', async () => {
      const folder = temporaryFolder()
      await writeFile(join(folder, 'Pulumi.another.yaml'), 'config:\n  homeport:signIn: host\n')
      for (const same of ['none', ''])
        expect(await look({}, { HOMEPORT_SIGN_IN: same }, folder)).not.toContain('HOMEPORT_SIGN_IN')
    })

    it('compares nothing with a stack that it cannot read, and names the backend in the way of its file', async () => {
      const output = await look({}, { PULUMI_BACKEND_URL: '' })
      expect(output).toMatch(
        /^3\. Choose the state backend\n {2}missing PULUMI_BACKEND_URL is not set\.\n\n/m,
      )
      expect(output).not.toMatch(/ARM_|ACCOUNT_ID| token /)
    })
  })

  it('sends no token where a configuration leads that is refused', async () => {
    vi.stubEnv('PATH', emulatedCli)
    vi.stubEnv('ANSWER_STATE', exported([]))
    vi.stubEnv('CLOUDFLARE_BASE_URL', '')
    const given = { ...minimalConfig, signIn: 'none', 'cloudflare:baseUrl': 'https://stranger.example/' }
    const keyed = Object.entries(given).map(([key, value]) => [
      key.replace(/^(?!.*:)/, 'homeport:'),
      { value },
    ])
    vi.stubEnv('ANSWER_CONFIG', JSON.stringify(Object.fromEntries(keyed)))
    const stack = await readStack(undefined, Date.now())
    vi.unstubAllEnvs()
    expect(stack).toMatchObject({ settings: null, apiUrl: cloudflareApiUrl })
    expect(stack.problems.join()).toContain('cloudflare:baseUrl leads to another host')
  })
})
