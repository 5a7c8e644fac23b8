import * as pulumi from '@pulumi/pulumi'
import { describeEnd } from '../../lib/expiry.ts'
import { fixOf, secretKeys } from './keys.ts'
import { readStackSettings } from './read.ts'
import { daysAfter, noticeDays } from './readers/credentials.ts'
import type { CertificatePlan, StackSettings } from './stack-settings.ts'

/** The settings of the running stack. */
export interface Loaded {
  readonly settings: StackSettings
  /** Returns a secret that the chosen parts require. It stays wrapped. */
  readonly secretOf: (
    key: 'sessionKeys' | 'mintingApiToken' | 'pushHosts' | 'clockToken' | CertificatePlan['key'],
  ) => pulumi.Output<string>
}

/**
 * Reads the configuration of the running stack.
 * @throws RunError that names every wrong key and its fix; nothing has been declared by then
 */
export function loadSettings(now: number = Date.now()): Loaded {
  const config = new pulumi.Config()
  const given = new Map(Object.entries(pulumi.runtime.allConfig()))
  const prefix = `${config.name}:`
  const reading = readStackSettings(given, now)
  const problems = [...('problems' in reading ? reading.problems : []), ...plaintextSecrets(prefix, given)]
  if ('value' in reading && problems.length === 0) {
    const { signIn, unused } = reading.value
    if (unused.length > 0) {
      const removal = unused.length === 1 ? `rm ${unused[0]}` : `rm-all ${unused.join(' ')}`
      void pulumi.log.warn(
        `${unused.map(key => prefix + key).join(', ')}: the stack has no part that uses ${unused.length === 1 ? 'this key' : 'these keys'}. Remove ${unused.length === 1 ? 'it' : 'them'}: pulumi config ${removal}`,
      )
    }
    if (signIn?.handler.REQUIRE_STATE === 'false') {
      void pulumi.log.warn(
        `${prefix}requireState is false, so the handler accepts a callback without its state. Keep that only while a client sends nothing but the code: pulumi config rm requireState`,
      )
    }
    for (const { key, endsOn } of signIn?.certificates ?? []) {
      const end = Date.parse(endsOn)
      if (end <= daysAfter(now, noticeDays))
        void pulumi.log.warn(
          `${prefix}${key} ${describeEnd(end, now)}. Rotate it, as docs/operate.md says: ${fixOf('clientCertificateNext')}`,
        )
    }
    return {
      settings: reading.value,
      secretOf: key => config.requireSecret(key).apply(text => text.trim()),
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
