import { cloudflareService } from './cloudflare/api.ts'
import { Databases } from './cloudflare/d1/databases.ts'
import { failureText } from './cloudflare/envelope.ts'
import { inForm } from './cloudflare/errors.ts'
import { applyEffect } from './cloudflare/fault-effects.ts'
import { makeFixtures } from './cloudflare/fixtures.ts'
import { Limits } from './cloudflare/limits.ts'
import { nameServerCount, ReplicationLag } from './cloudflare/replication-lag.ts'
import { Store } from './cloudflare/store.ts'
import { bearerOf } from './cloudflare/tokens/authentication.ts'
import { WorkersRuntime } from './cloudflare/workers/runtime.ts'
import { isForWorker, workerService } from './cloudflare/workers/worker-service.ts'
import { Workers } from './cloudflare/workers/workers.ts'
import { startControl } from './control/control.ts'
import type { Controlled } from './control/state.ts'
import { resolverCount, resolverPath, resolverService } from './dns/doh.ts'
import { startNameServer } from './dns/name-server.ts'
import { addressAnswer, echoCount, echoService, firstAddress } from './echo/echo.ts'
import { homePageService } from './home-page/home-page.ts'
import { createAuthority } from './http/certificates.ts'
import { Clock } from './http/clock.ts'
import { type RequestHead, type ServerContext, serve } from './http/exchange.ts'
import { Faults } from './http/faults.ts'
import { Journal } from './http/journal.ts'
import { SeededIds } from './http/seeded-ids.ts'
import { loopback } from './http/server.ts'
import { chooser } from './http/virtual-hosts.ts'
import {
  isForMetadata,
  type OptionalServices,
  type OptionalServicesDescription,
  startOptionalServices,
} from './optional-services.ts'

export type SandboxOptions = {
  /** Every identifier and token follows from it. Default 1. */
  readonly seed?: number
  /** The zone that the scoped token may write. Default `example.com`. */
  readonly zoneName?: string
  /** The identity provider with the directory behind it: what its first application returns to. Left out by default. */
  readonly entra?: { readonly redirectUris: readonly string[] } | undefined
  /** Where workflows get their secrets and variables. Left out by default. */
  readonly github?: boolean
  /** 0 and absent mean any free port. */
  readonly ports?: {
    readonly cloudflare?: number
    readonly https?: number
    readonly dns?: number
    readonly control?: number
    readonly echo?: readonly number[]
    readonly github?: number
  }
}

/** Where everything is, in the form in which it is printed for programs. */
export type SandboxDescription = {
  readonly cloudflare: {
    /** The root, without a slash at its end. */
    readonly baseUrl: string
    /** Ends in `/client/v4`. */
    readonly apiUrl: string
    /** The root over TLS, without a slash at its end. */
    readonly httpsUrl: string
    readonly accountId: string
    readonly zoneId: string
    readonly zoneName: string
    /** May do everything. */
    readonly adminToken: string
    /** May write DNS in this one zone. */
    readonly dnsToken: string
  }
  /** The first of a zone's name servers, for those who want one. */
  readonly nameServer: { readonly host: string; readonly port: number }
  /** All of them, in the order of their names: ns1, ns2. */
  readonly nameServers: readonly { readonly host: string; readonly port: number }[]
  /** Here the API, the resolvers, the echoes and Workers are told apart by the name of the host. */
  readonly https: { readonly host: string; readonly port: number }
  /** The certificate of the authority that vouches for every host there. PEM. */
  readonly ca: string
  /** Resolvers over HTTPS, by two operators as it were. */
  readonly doh: readonly string[]
  readonly echo: readonly string[]
  readonly control: string
} & OptionalServicesDescription

export type Sandbox = {
  readonly description: SandboxDescription
  /** Those that were asked for. */
  readonly entra: OptionalServices['entra']
  readonly github: OptionalServices['github']
  /** Ends every service and every connection. */
  close(): Promise<void>
}

type Closable = { close(): Promise<void> }

const contextOf = (controlled: Controlled): ServerContext => {
  const { store, journal, faults } = controlled
  return {
    journal,
    faults,
    tokenIdOf: authorization => store.tokenByValue(bearerOf(authorization) ?? '')?.id ?? null,
    redact: text =>
      store.tokens().reduce((rest, token) => rest.replaceAll(token.value, `<token ${token.id}>`), text),
    renderErrors: (errors, form = controlled.errorForm) => failureText(inForm(errors, form)),
    apply: (effect, tokenId) => applyEffect(controlled, effect, tokenId),
  }
}

/**
 * Starts every stand-in on loopback.
 * @throws ListenError when a port that was asked for is taken; nothing is left running then
 */
export const startSandbox = async ({
  seed = 1,
  zoneName = 'example.com',
  entra,
  github = false,
  ports = {},
}: SandboxOptions = {}): Promise<Sandbox> => {
  const clock = new Clock()
  const ids = new SeededIds(seed)
  const first = makeFixtures(ids, clock.now(), zoneName)
  const store = new Store()
  store.replace(first.contents)
  const journal = new Journal(clock)
  const workers = new Workers()
  const databases = new Databases()
  const runtime = new WorkersRuntime(() => workers.deployment(databases))
  const controlled: Controlled = {
    store,
    clock,
    ids,
    journal,
    faults: new Faults(),
    limits: new Limits(),
    replicationLag: new ReplicationLag(),
    runtime,
    echo: Array.from({ length: echoCount }, () => addressAnswer(firstAddress)),
    errorForm: 'flat',
    duplicateCode: 81058,
  }
  const context = contextOf(controlled)
  const running: Closable[] = [runtime]
  const close = async () => {
    await Promise.all(running.map(service => service.close()))
  }
  const started = async <T extends Closable>(starting: Promise<T>): Promise<T> => {
    const service = await starting
    running.push(service)
    return service
  }
  /** What a name server has of the store by now. */
  const served = (instance: number) => {
    const seen = controlled.replicationLag.storeFor(instance, store, clock.now())
    return { store: seen, late: seen !== store }
  }
  const { accountId, userId, zone, admin, dns } = first
  try {
    const api = cloudflareService({
      store,
      workers,
      databases,
      runtime,
      clock,
      ids,
      accountId,
      userId,
      limits: controlled.limits,
      readable: () => controlled.replicationLag.storeFor('api', store, clock.now()),
      errorForm: () => controlled.errorForm,
      duplicateCode: () => controlled.duplicateCode,
    })
    const echoes = [...controlled.echo.keys()].map(instance =>
      echoService(instance, () => controlled.echo[instance] ?? addressAnswer(firstAddress)),
    )
    const others = await started(startOptionalServices({ seed, entra, github, ports }))
    const chooseHere = chooser({
      api,
      workers: workerService(workers, runtime),
      isForWorker: asked => isForWorker(workers, asked),
      // Each asks a name server of its own, so that one can be late where the other is not.
      resolvers: Array.from({ length: resolverCount }, (_, instance) =>
        resolverService(instance, () => served(instance % nameServerCount)),
      ),
      echoes,
      homePage: homePageService({
        store,
        workers,
        databases,
        runtime,
        journal,
        description: () => description,
      }),
    })
    const choose = (asked: RequestHead) =>
      others.metadata && isForMetadata(asked) ? others.metadata : chooseHere(asked)
    const authority = createAuthority()
    const cloudflare = await started(serve('cloudflare', choose, ports.cloudflare ?? 0, context))
    const nameServers: { host: string; port: number }[] = []
    for (let instance = 0; instance < nameServerCount; instance += 1) {
      const read = () => served(instance)
      const wanted = instance === 0 ? (ports.dns ?? 0) : 0
      const { port } = await started(startNameServer({ journal, instance, read }, wanted))
      nameServers.push({ host: loopback, port })
    }
    const echo: string[] = []
    for (const [instance, service] of echoes.entries()) {
      echo.push((await started(serve('echo', () => service, ports.echo?.[instance] ?? 0, context))).url)
    }
    const control = await started(startControl(controlled, ports.control ?? 0))
    const { pem, ...identity } = await authority
    const https = await started(serve('https', choose, ports.https ?? 0, context, identity))
    const description: SandboxDescription = {
      cloudflare: {
        baseUrl: cloudflare.url,
        apiUrl: `${cloudflare.url}/client/v4`,
        httpsUrl: https.url,
        accountId,
        zoneId: zone.id,
        zoneName: zone.name,
        adminToken: admin.value,
        dnsToken: dns.value,
      },
      nameServer: nameServers[0] ?? { host: loopback, port: 0 },
      nameServers,
      https: { host: loopback, port: https.port },
      ca: pem,
      doh: Array.from(
        { length: resolverCount },
        (_, instance) => `${cloudflare.url}${resolverPath(instance)}`,
      ),
      echo,
      control: control.url,
      ...others.describe(https.port),
    }
    return { description, entra: others.entra, github: others.github, close }
  } catch (error) {
    await close()
    throw error
  }
}
