import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { judge } from '../../infra/policy/rules.ts'
import { certificateName, types } from '../../infra/resource-names.ts'
import { fixOf } from '../../infra/settings/keys.ts'
import { createClientCertificate, type TestCertificate } from '../../sandbox/testing/client-certificate.ts'
import { daysAgo, minimalConfig, sessionKeys } from '../support/configuration.ts'
import { declaredIn } from '../support/declared.ts'
import { mintingApiToken, policyStack, problemsIn, runStack, type StackOptions } from './support/stacks.ts'

const dayMs = 86_400_000
const first = createClientCertificate({ until: Date.now() + 20 * dayMs })
const second = createClientCertificate({ keyOf: first })
const nameOf = ({ der }: TestCertificate) => certificateName(Buffer.from(der, 'base64'))

const withCertificates: StackOptions = {
  config: { credential: 'certificate', secretRotationA: null, secretRotationB: null },
  secrets: { clientCertificate: first.pem, clientCertificateNext: second.pem },
}
const onHost = { signIn: 'host', publicOrigin: 'https://home.example.com', accountId: null }

it('a stack declares its certificates without their keys, no password, and binds them as secrets', async () => {
  const run = await runStack(withCertificates)
  const declared = declaredIn(run.graph)
  expect(run.succeeded).toBe(true)
  const credentials = declared.filter(({ type }) =>
    [types.certificate, types.password].includes(type as never),
  )
  expect(credentials.map(({ name, props }) => [name, props['value']])).toEqual([
    [nameOf(first), first.der],
    [nameOf(second), second.der],
  ])
  const script = declared.find(({ type }) => type === types.script)
  const bindings = script?.props['bindings'] as { readonly name: string; readonly type: string }[]
  const named = bindings.flatMap(({ name, type }) => (/^CLIENT_[CS]/.test(name) ? [`${name} ${type}`] : []))
  expect(named).toEqual(['CLIENT_CERTIFICATE secret_text', 'CLIENT_CERTIFICATE_NEXT secret_text'])
  expect(run.log.map(({ message }) => message).join('\n')).toMatch(
    /clientCertificate expires on \S+, in 20 days\. Rotate it.*\| pulumi config set --secret clientCertificateNext/,
  )
  expect(judge(declared, policyStack(withCertificates))).toEqual([])
  const other = { clientCertificate: second.pem, clientCertificateNext: null }
  const judged = judge(declared, policyStack({ ...withCertificates, secrets: other }))
  expect(judged.map(one => one.rule)).toContain('only-declared')
  const forged = declared.map(one =>
    one.name === nameOf(first) ? { ...one, props: { ...one.props, value: second.der } } : one,
  )
  expect(judge(forged, policyStack(withCertificates))).toMatchObject([{ rule: 'registration' }])
})

it('a stack with secrets can declare a certificate beside them', async () => {
  const options = { secrets: { clientCertificate: second.pem } }
  const declared = declaredIn((await runStack(options)).graph)
  expect(declared.filter(({ type }) => type === types.password)).toHaveLength(2)
  expect(declared.filter(({ type }) => type === types.certificate)).toHaveLength(1)
  expect(judge(declared, policyStack(options))).toEqual([])
})

it('a federated handler on a host gets no credential of the stack', async () => {
  const config = { ...onHost, credential: 'federated' }
  const { graph, outputs } = await runStack({ config })
  expect(declaredIn(graph).filter(({ name }) => /secret|certificate/.test(name))).toEqual([])
  expect(JSON.stringify(outputs)).not.toContain('CLIENT_SECRET')
  expect(problemsIn({ ...settingsBase, credential: 'federated' }).join('\n')).toMatch(
    /credential is federated, and only a host/,
  )
})

const settingsBase = { ...minimalConfig, sessionKeys, mintingApiToken }

it('wrong certificates are refused, without what they have', () => {
  const none = problemsIn({ ...settingsBase, ...withCertificates.config })
  expect(none).toEqual([
    expect.stringMatching(/^clientCertificate is missing\. Create one: openssl req -x509/),
  ])
  const swapped = { clientCertificate: second.pem, clientCertificateNext: first.pem }
  const problems = problemsIn({ ...settingsBase, ...withCertificates.config, ...swapped })
  expect(problems.join('\n')).toMatch(/Next does not expire after clientCertificate\. Swap/)
  expect(problems.join('\n')).not.toMatch(/BEGIN|MII/)
})

it('the run refuses to delete the last credential that a handler uses', async () => {
  const end = `${daysAgo(-100)}T00:00:00Z`
  const state = [
    [types.password, 'sign-in-secret-a'],
    [types.certificate, nameOf(second)],
  ] as const
  const runWith = async (kept: readonly (readonly [string, string])[], options: StackOptions) => {
    const entries = kept.map(([type, name]) => [
      `urn:pulumi:dev::homeport::${type}::${name}`,
      { type, outputs: { endDate: end } },
    ])
    const { log } = await runStack({ ...options, readState: () => Object.fromEntries(entries) })
    return log.map(({ message }) => message).join('\n')
  }
  const refusal = /delete every credential that a handler still uses/
  const [password, certificate] = state
  expect(await runWith([password], withCertificates)).toMatch(refusal)
  expect(await runWith([certificate], {})).toMatch(refusal)
  expect(await runWith([password, certificate], withCertificates)).not.toMatch(refusal)
  expect(await runWith([certificate], { secrets: { clientCertificate: second.pem } })).not.toMatch(refusal)
})

it('the command that creates one is what the reader takes', async () => {
  const [, command = ''] = /: (openssl.*) \| pulumi/.exec(fixOf('clientCertificate')) ?? []
  // A smaller key is found sooner.
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command.replace('3072', '2048')} | cat`])
  const given = { ...settingsBase, ...withCertificates.config, clientCertificate: stdout }
  expect(problemsIn(given)).toEqual([])
})
