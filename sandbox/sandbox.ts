import { Clock } from './clock.ts'
import { cloudflareService } from './cloudflare/api.ts'
import { bearerOf } from './cloudflare/authentication.ts'
import { failureText } from './cloudflare/envelope.ts'
import { inForm } from './cloudflare/errors.ts'
import { firstContents } from './cloudflare/first-contents.ts'
import { Store } from './cloudflare/store.ts'
import { type Controlled, startControl } from './control.ts'
import { addressAnswer, echoCount, echoService, firstAddress } from './echo.ts'
import { Faults } from './faults.ts'
import { type Surroundings, serve } from './front.ts'
import { loopback } from './http-server.ts'
import { Journal } from './journal.ts'
import { startNameServer } from './name-server.ts'
import { Generator } from './seed.ts'

export type SandboxOptions = {
  /** Every identifier and token follows from it. Default 1. */
  readonly seed?: number
  /** The zone that the scoped token may write. Default `example.com`. */
  readonly zoneName?: string
  /** 0 and absent mean any free port. */
  readonly ports?: {
    readonly cloudflare?: number
    readonly dns?: number
    readonly control?: number
    readonly echo?: readonly number[]
  }
}

/** Where everything is, in the form in which it is printed for programs. */
export type SandboxDescription = {
  readonly cloudflare: {
    /** The root, without a slash at its end. */
    readonly baseUrl: string
    /** Ends in `/client/v4`. */
    readonly apiUrl: string
    readonly accountId: string
    readonly zoneId: string
    readonly zoneName: string
    /** May do everything. */
    readonly adminToken: string
    /** May write DNS in this one zone. */
    readonly dnsToken: string
  }
  readonly nameServer: { readonly host: string; readonly port: number }
  readonly echo: readonly string[]
  readonly control: string
}

export type Sandbox = {
  readonly description: SandboxDescription
  /** Ends every service and every connection. */
  close(): Promise<void>
}

type Closable = { close(): Promise<void> }

const surroundingsOf = (controlled: Controlled): Surroundings => {
  const { store, journal, faults } = controlled
  return {
    journal,
    faults,
    tokenIdOf: authorization => store.tokenByValue(bearerOf(authorization) ?? '')?.id ?? null,
    redact: text =>
      store.tokens().reduce((rest, token) => rest.replaceAll(token.value, `<token ${token.id}>`), text),
    renderErrors: errors => failureText(inForm(errors, controlled.errorForm)),
  }
}

/**
 * Starts every stand-in on loopback.
 * @throws ListenError when a port that was asked for is taken; nothing is left running then
 */
export const startSandbox = async ({
  seed = 1,
  zoneName = 'example.com',
  ports = {},
}: SandboxOptions = {}): Promise<Sandbox> => {
  const clock = new Clock()
  const generator = new Generator(seed)
  const first = firstContents(generator, clock.now(), zoneName)
  const store = new Store()
  store.replace(first.contents)
  const controlled: Controlled = {
    store,
    clock,
    generator,
    journal: new Journal(clock),
    faults: new Faults(),
    echo: Array.from({ length: echoCount }, () => addressAnswer(firstAddress)),
    errorForm: 'flat',
    duplicateCode: 81058,
  }
  const surroundings = surroundingsOf(controlled)
  const running: Closable[] = []
  const close = async () => {
    await Promise.all(running.map(service => service.close()))
  }
  const started = async <T extends Closable>(starting: Promise<T>): Promise<T> => {
    const service = await starting
    running.push(service)
    return service
  }
  const { accountId, userId, zone, admin, dns } = first
  try {
    const api = cloudflareService({
      store,
      clock,
      generator,
      accountId,
      userId,
      errorForm: () => controlled.errorForm,
      duplicateCode: () => controlled.duplicateCode,
    })
    const cloudflare = await started(serve(api, ports.cloudflare ?? 0, surroundings))
    const nameServer = await started(startNameServer(store, controlled.journal, ports.dns ?? 0))
    const echo: string[] = []
    for (const instance of controlled.echo.keys()) {
      const current = () => controlled.echo[instance] ?? addressAnswer(firstAddress)
      const service = echoService(instance, current)
      echo.push((await started(serve(service, ports.echo?.[instance] ?? 0, surroundings))).url)
    }
    const control = await started(startControl(controlled, ports.control ?? 0))
    return {
      description: {
        cloudflare: {
          baseUrl: cloudflare.url,
          apiUrl: `${cloudflare.url}/client/v4`,
          accountId,
          zoneId: zone.id,
          zoneName: zone.name,
          adminToken: admin.value,
          dnsToken: dns.value,
        },
        nameServer: { host: loopback, port: nameServer.port },
        echo,
        control: control.url,
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
