import { formatInstant } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import type { ServiceState } from '../http/emulated-service.ts'
import { cloudflareApi } from './api.ts'
import { refusalAnswer } from './envelope.ts'
import { type ApiError, Refusal } from './errors.ts'
import { makeFixtures } from './fixtures.ts'
import { type CloudflareChange, contentsOf } from './state.ts'
import { Store } from './store.ts'
import { WorkersRuntime } from './workers/runtime.ts'
import { workerService } from './workers/worker-service.ts'
import { Workers } from './workers/workers.ts'

/** The addresses of the API, and the ids and tokens of its initial contents. */
export interface CloudflareDescription {
  readonly cloudflare: {
    /** The root of the API, without a trailing slash. */
    readonly baseUrl: string
    /** The base URL for clients, which ends in `/client/v4`. */
    readonly apiUrl: string
    /** The root over TLS, without a trailing slash. */
    readonly httpsUrl: string
    readonly accountId: string
    readonly zoneId: string
    readonly zoneName: string
    /** A token with every permission. */
    readonly adminToken: string
    /** A token with DNS Write on this zone. */
    readonly dnsToken: string
  }
}

interface CloudflareOptions {
  /** The base URLs of the shared ports, without a trailing slash. */
  readonly baseUrl: string
  readonly httpsUrl: string
  /** The certificate of the sandbox's authority, as PEM. */
  readonly ca: string
}

/** Starts the API and its Workers. Returns their description, and the store with the zones for the name servers. */
export function startCloudflare(context: ServerContext, { baseUrl, httpsUrl, ca }: CloudflareOptions) {
  const { clock } = context
  const ids = context.ids()
  const { contents, accountId, userId, zone, admin, dns } = makeFixtures(ids, clock.now())
  const store = new Store()
  store.replace(contents)
  const workers = new Workers()
  const runtime = new WorkersRuntime(workers, ca)
  void context.run(runtime)
  const state: ServiceState = {
    keys: ['records', 'tokens', 'workers', 'databases'],
    read: () => ({
      ...store.contents(),
      workers: workers.contents(),
      databases: [...workers.databases.values()],
    }),
    replace(body) {
      const now = formatInstant(clock.now())
      const change = body as CloudflareChange
      store.replace(contentsOf(change, { ids, now, present: store.contents() }))
      if (change.workers) workers.replace(change.workers)
      if (change.databases) workers.databases = new Map(change.databases.map(one => [one.uuid, one]))
      if (change.workers || change.databases) runtime.outdate()
    },
  }
  context.register(
    {
      name: 'cloudflare',
      answer: cloudflareApi({ store, workers, runtime, clock, ids, accountId, userId }),
      errorAnswer: (_, errors, status = 400) =>
        refusalAnswer(new Refusal(status, errors as readonly ApiError[])),
      state,
    },
    workerService(workers, runtime),
  )

  const description: CloudflareDescription = {
    cloudflare: {
      baseUrl,
      apiUrl: `${baseUrl}/client/v4`,
      httpsUrl,
      accountId,
      zoneId: zone.id,
      zoneName: zone.name,
      adminToken: admin.value,
      dnsToken: dns.value,
    },
  }
  return { description, store }
}
