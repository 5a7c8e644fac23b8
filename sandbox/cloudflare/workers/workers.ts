import type { Databases } from '../d1/databases.ts'
import type { Deployment } from './runtime-options.ts'
import { type Script, toRunning } from './script.ts'

/** A custom domain: a hostname whose origin is a Worker. */
export interface Domain {
  readonly id: string
  /** In lower case. */
  readonly hostname: string
  /** The name of a script. */
  readonly service: string
  readonly environment: string
  readonly zoneId: string
  readonly zoneName: string
  readonly certificateId: string
  /** The DNS record that is created and deleted with the domain. */
  readonly recordId: string
}

/** A pattern of URLs and the Worker that answers them. Without a script, no Worker answers them. */
export interface WorkerRoute {
  readonly id: string
  readonly zoneId: string
  readonly pattern: string
  readonly script: string | null
}

/** The workers.dev settings of a script. */
export interface Subdomain {
  readonly enabled: boolean
  readonly previews_enabled: boolean
}

/** A cron trigger of a script. Its times are in RFC 3339. */
export interface Schedule {
  readonly cron: string
  readonly created_on: string
  readonly modified_on: string
}

/** The scripts of the account with their domains and routes, kept in memory. */
export class Workers {
  readonly scripts = new Map<string, Script>()
  /** By id. */
  readonly domains = new Map<string, Domain>()
  /** By id. */
  readonly routes = new Map<string, WorkerRoute>()
  /** By script name. */
  readonly subdomains = new Map<string, Subdomain>()
  /** Cron triggers by script name. */
  readonly schedules = new Map<string, readonly Schedule[]>()

  /** Returns the custom domain of a lower-case hostname. */
  domainOf(hostname: string): Domain | null {
    return [...this.domains.values()].find(domain => domain.hostname === hostname) ?? null
  }

  /** Returns the deployment of all scripts, with `changed` in place of the stored script of that name. */
  deployment(databases: Databases, changed?: Script): Deployment {
    const scripts = new Map(this.scripts)
    if (changed) scripts.set(changed.name, changed)
    return { workers: [...scripts.values()].map(toRunning), databaseIds: databases.ids() }
  }
}
