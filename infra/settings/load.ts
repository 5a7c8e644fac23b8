import * as pulumi from '@pulumi/pulumi'
import { describeEnd } from '../../lib/expiry.ts'
import { fixOf, secretKeys } from './keys.ts'
import { readStackSettings } from './read.ts'
import { daysAfter, noticeDays } from './readers/credentials.ts'
import type { CertificatePlan } from './stack-settings.ts'

type SecretKey = 'sessionKeys' | 'mintingApiToken' | 'pushHosts' | 'clockToken' | CertificatePlan['key']

/**
 * Reads the configuration of the running stack.
 * @returns the settings, and a function that returns a secret which the chosen parts require, still wrapped
 * @throws RunError that names every wrong key and its fix; nothing has been declared by then
 */
export function loadSettings() {
  const now = Date.now()
  const config = new pulumi.Config()
  const given = new Map(Object.entries(pulumi.runtime.allConfig()))
  const prefix = `${config.name}:`
  const reading = readStackSettings(given, now)
  const problems = [...('problems' in reading ? reading.problems : []), ...plaintextSecrets(prefix, given)]
  if ('value' in reading && problems.length === 0) {
    const { signIn, unused } = reading.value
    if (unused.length > 0)
      void pulumi.log.warn(
        `The stack has no part that uses ${unused.map(key => prefix + key).join(', ')}. Remove: pulumi config rm-all ${unused.join(' ')}`,
      )
    if (signIn?.handler.REQUIRE_STATE === 'false')
      void pulumi.log.warn(
        `${prefix}requireState is false, so the handler accepts a callback without its state. Keep that only while a client sends nothing but the code: pulumi config rm requireState`,
      )
    for (const { key, endsOn } of signIn?.certificates ?? []) {
      const end = Date.parse(endsOn)
      if (end <= daysAfter(now, noticeDays))
        void pulumi.log.warn(
          `${prefix}${key} ${describeEnd(end, now)}. Rotate it, as docs/operate.md says: ${fixOf('clientCertificateNext')}`,
        )
    }
    return {
      settings: reading.value,
      secretOf: (key: SecretKey) => config.requireSecret(key).apply(text => text.trim()),
    }
  }
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  const listed = problems.map(text => `  - ${text}`).join('\n')
  throw new pulumi.RunError(
    `The configuration of stack ${pulumi.getStack()} has ${count}. Nothing was changed.\n${listed}`,
  )
}

/** Finds secrets that the stack file holds in plain text. The language host tells programs which keys are encrypted. */
function plaintextSecrets(prefix: string, given: ReadonlyMap<string, string>): readonly string[] {
  const encrypted: readonly string[] = JSON.parse(process.env['PULUMI_CONFIG_SECRET_KEYS'] ?? '[]')
  return secretKeys
    .filter(key => given.has(prefix + key) && !encrypted.includes(prefix + key))
    .map(
      key =>
        `${prefix}${key} is in plain text in the stack file. Replace it with a new one: pulumi config set --secret ${key}`,
    )
}
