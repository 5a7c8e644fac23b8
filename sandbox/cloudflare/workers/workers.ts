import type { Database } from '../d1/databases.ts'
import type { Script } from './script.ts'

/** A custom domain: a hostname whose origin is a Worker. */
export interface Domain {
  readonly id: string
  /** In lower case. */
  readonly hostname: string
  /** The name of a script. */
  readonly service: string
  readonly zoneId: string
  readonly zoneName: string
  readonly certificateId: string
  /** The DNS record that is created and deleted with the domain. */
  readonly recordId: string
}

/** A pattern of URLs and the Worker that answers them. Without a script, no Worker answers them. Here, none leads anywhere. */
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

/** The Workers as plain values. */
export interface WorkersContents {
  readonly scripts: readonly Script[]
  readonly domains: readonly Domain[]
  readonly routes: readonly WorkerRoute[]
  readonly subdomains: Readonly<Record<string, Subdomain>>
  readonly schedules: Readonly<Record<string, readonly Schedule[]>>
}

/** The scripts of the account with their domains and routes, and its databases, kept in memory. */
export class Workers {
  /** By name. */
  scripts = new Map<string, Script>()
  /** By uuid. The runtime keeps their contents. */
  databases = new Map<string, Database>()
  /** By id. */
  domains = new Map<string, Domain>()
  /** Those of the state: no route here creates one. */
  routes: readonly WorkerRoute[] = []
  /** By script name. */
  subdomains = new Map<string, Subdomain>()
  /** Cron triggers by script name. */
  schedules = new Map<string, readonly Schedule[]>()

  contents(): WorkersContents {
    return {
      scripts: [...this.scripts.values()],
      domains: [...this.domains.values()],
      routes: this.routes,
      subdomains: Object.fromEntries(this.subdomains),
      schedules: Object.fromEntries(this.schedules),
    }
  }

  replace({ scripts, domains, routes, subdomains, schedules }: WorkersContents): void {
    this.scripts = new Map(scripts.map(script => [script.name, script]))
    this.domains = new Map(domains.map(domain => [domain.id, domain]))
    this.routes = routes
    this.subdomains = new Map(Object.entries(subdomains))
    this.schedules = new Map(Object.entries(schedules))
  }

  /** Returns the custom domain of a lower-case hostname. */
  domainOf(hostname: string): Domain | null {
    return [...this.domains.values()].find(domain => domain.hostname === hostname) ?? null
  }
}
