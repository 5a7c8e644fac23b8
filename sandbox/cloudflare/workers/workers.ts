import type { Databases } from '../d1/databases.ts'
import type { Deployment } from './runtime-options.ts'
import { type Script, toRunning } from './script.ts'

/** A hostname that a Worker answers as its origin. */
export type Domain = {
  readonly id: string
  /** Lower case. */
  readonly hostname: string
  /** The name of a script. */
  readonly service: string
  readonly environment: string
  readonly zoneId: string
  readonly zoneName: string
  readonly certificateId: string
  /** The DNS record that came and goes with it. */
  readonly recordId: string
}

/** A pattern of URLs, and the Worker that answers them; without a script they go past every Worker. */
export type WorkerRoute = {
  readonly id: string
  readonly zoneId: string
  readonly pattern: string
  readonly script: string | undefined
}

/** Whether a script answers under the account's name below workers.dev. */
export type Subdomain = { readonly enabled: boolean; readonly previews_enabled: boolean }

/** The scripts of the account and what leads to them. In memory only. */
export class Workers {
  readonly scripts = new Map<string, Script>()
  /** By id. */
  readonly domains = new Map<string, Domain>()
  /** By id. */
  readonly routes = new Map<string, WorkerRoute>()
  /** By the name of the script. */
  readonly subdomains = new Map<string, Subdomain>()
  /** The account's name below workers.dev. */
  accountSubdomain: string | undefined

  /** The custom domain of a host (lower case). */
  domainOf(hostname: string): Domain | undefined {
    return [...this.domains.values()].find(domain => domain.hostname === hostname)
  }

  /** What is to run, with one script in the place of its earlier form when it is given. */
  deployment(databases: Databases, changed?: Script): Deployment {
    const scripts = new Map(this.scripts)
    if (changed) scripts.set(changed.name, changed)
    return { workers: [...scripts.values()].map(toRunning), databaseIds: databases.ids() }
  }
}
