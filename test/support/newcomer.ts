import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { root } from '../../tools/bundle.ts'
import { askCloudflare, createUserToken } from './services.ts'

/** The permission groups by the keys of Cloudflare's form for tokens. */
const groupNames: Readonly<Record<string, string>> = { 'dns edit': 'DNS Write' }

/** Returns the names of the permission groups that the README's link to the form selects. */
function groupsOfLink(): readonly string[] {
  const page = readFileSync(join(root, 'README.md'), 'utf8')
  const link = /\((https:\/\/dash\.cloudflare\.com\/profile\/api-tokens\?[^)]+)\)/.exec(page)?.[1] ?? ''
  const keys: readonly { key: string; type: string }[] = JSON.parse(
    new URL(link).searchParams.get('permissionGroupKeys') ?? '[]',
  )
  return keys.map(({ key, type }) => groupNames[`${key} ${type}`] ?? '')
}

/**
 * Somebody who has just opened the README, with the sandbox in place of Cloudflare and of the internet. Does by hand what the
 * README has a person do in the dashboard, and replaces in commands only what a person has to.
 */
export class Newcomer {
  readonly hostname: string
  /** What was copied from the form. */
  readonly token: string
  readonly #sandbox: Sandbox

  private constructor(sandbox: Sandbox, hostname: string, token: string) {
    this.hostname = hostname
    this.#sandbox = sandbox
    this.token = token
  }

  /** Creates the token with the form that the README links to, and the A record with any address. */
  static async arrive(sandbox: Sandbox): Promise<Newcomer> {
    const { cloudflare } = sandbox.description
    const { zoneId } = cloudflare
    const hostname = 'desk.example.com'
    const zone = `com.cloudflare.api.account.zone.${zoneId}`
    const { value } = await createUserToken(cloudflare, 'homeport', [[zone, ...groupsOfLink()]])
    const newcomer = new Newcomer(sandbox, hostname, value)
    const record = { type: 'A', name: hostname, content: '192.0.2.1', ttl: 120, proxied: false }
    await askCloudflare(cloudflare, 'POST', `/zones/${zoneId}/dns_records`, record)
    return newcomer
  }

  get #at() {
    return this.#sandbox.description
  }

  /** What directs the command to the sandbox. */
  get settings(): Readonly<Record<string, string>> {
    return {
      HOMEPORT_BASE_URL: this.#at.cloudflare.baseUrl,
      HOMEPORT_ADDRESS_SOURCES: this.#at.echo.join('\n'),
      HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
    }
  }

  /** Returns commands of a page with this zone and hostname. */
  filled(commands: string): string {
    return commands
      .replaceAll('YOUR_ZONE_ID', this.#at.cloudflare.zoneId)
      .replaceAll('home.example.com', this.hostname)
  }

  /** Makes the provider assign another address. */
  move(address: string): void {
    this.#sandbox.control.setState({ echo: { address } })
  }

  /** Returns the address of every record of the hostname. */
  async addresses(): Promise<readonly string[]> {
    const path = `/zones/${this.#at.cloudflare.zoneId}/dns_records?name=${this.hostname}`
    const records = await askCloudflare<readonly { content: string }[]>(this.#at.cloudflare, 'GET', path)
    return records.map(({ content }) => content)
  }
}
