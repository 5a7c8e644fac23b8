import * as pulumi from '@pulumi/pulumi'
import { readSettings, type Settings, secretKeys } from './settings.ts'

/** The settings of the running stack, with its secrets, which stay wrapped. */
export interface Loaded {
  readonly settings: Settings
  readonly sessionKeys: pulumi.Output<string>
  readonly mintingApiToken: pulumi.Output<string>
  /** Where the DNS service is, when the stack says so for its provider; a provider of our own has to be told. */
  readonly cloudflareBaseUrl: string | undefined
}

/**
 * Reads the running stack's configuration.
 * @throws RunError that names every wrong key with its cure; nothing has been declared by then
 */
export function loadSettings(now: number = Date.now()): Loaded {
  const config = new pulumi.Config()
  const prefix = `${config.name}:`
  const own = Object.entries(pulumi.runtime.allConfig()).filter(([name]) => name.startsWith(prefix))
  const reading = readSettings(new Map(own.map(([name, text]) => [name.slice(prefix.length), text])), now)
  const problems = [...('problems' in reading ? reading.problems : []), ...inTheClear(prefix, own)]
  if ('settings' in reading && problems.length === 0) {
    return {
      settings: reading.settings,
      sessionKeys: config.requireSecret('sessionKeys').apply(text => text.trim()),
      mintingApiToken: config.requireSecret('mintingApiToken').apply(text => text.trim()),
      cloudflareBaseUrl: new pulumi.Config('cloudflare').get('baseUrl'),
    }
  }
  const many = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  const listed = problems.map(text => `  - ${prefix}${text}`).join('\n')
  throw new pulumi.RunError(
    `The configuration of stack ${pulumi.getStack()} has ${many}; nothing was touched.\n${listed}`,
  )
}

/**
 * The owners of the registration: those that are listed, and always the deployer: whoever is none may not write what this
 * declares with the least permission there is. Warns where the deployer is missing from the list, since the next one to
 * deploy would take the ownership away again.
 */
export function ownersFor(listed: readonly string[], deployer: string): readonly string[] {
  const all = [...new Set([...listed, deployer])]
  if (listed.length > 0 && !listed.includes(deployer)) {
    void pulumi.log.warn(
      `${pulumi.getProject()}:ownerObjectIds does not name ${deployer}, who runs this: the owners become others with each who deploys. Name all who do: pulumi config set --plaintext ownerObjectIds ${all.join(',')}`,
    )
  }
  return all.toSorted()
}

/** Secrets that the stack file holds as they are. The engine tells programs which keys were encrypted. */
function inTheClear(prefix: string, own: readonly (readonly [string, string])[]): readonly string[] {
  const encrypted: unknown = JSON.parse(process.env['PULUMI_CONFIG_SECRET_KEYS'] ?? 'null')
  if (!Array.isArray(encrypted)) return []
  const names = own.map(([name]) => name)
  return secretKeys
    .filter(key => names.includes(prefix + key) && !encrypted.includes(prefix + key))
    .map(
      key =>
        `${key} stands in the stack file in clear. Replace it by a new one: pulumi config set --secret ${key}`,
    )
}
