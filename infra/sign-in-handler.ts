import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { WorkerBundle } from './bundle.ts'
import { handlerSettings } from './handler-settings.ts'
import type { Settings } from './settings.ts'

/** Behaviour of the Workers runtime as of this day; what the handler's tests run with. */
const compatibilityDate = '2026-07-01'

export interface SignInHandlerArgs {
  readonly settings: Settings
  /** What the script and its database are called in the account; another stack's have other names. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
  readonly clientId: pulumi.Output<string>
  readonly tenantId: string
  /** Newest first. */
  readonly clientSecrets: readonly pulumi.Output<string>[]
  readonly sessionKeys: pulumi.Output<string>
}

/** The sign-in handler as a Worker, at a host of its own, with the database of the employees. */
export class SignInHandler extends pulumi.ComponentResource {
  readonly databaseId: pulumi.Output<string>

  constructor(name: string, args: SignInHandlerArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:SignInHandler', name, {}, options)
    const { settings, serviceName, bundle } = args
    const { accountId, zoneId, signInHost } = settings

    const database = new cloudflare.D1Database(
      `${name}-database`,
      // Replication is declared because the service tells of it: left out, it reads as a change for ever.
      { accountId, name: serviceName, readReplication: { mode: 'disabled' } },
      { parent: this },
    )
    const script = new cloudflare.WorkersScript(
      `${name}-worker`,
      {
        accountId,
        scriptName: serviceName,
        mainModule: 'worker.js',
        content: bundle.content,
        contentSha256: bundle.sha256,
        compatibilityDate,
        bindings: bindings(args, database.id),
        observability,
      },
      // The provider does not know which bindings are secret, and gives them back in its answer.
      { parent: this, additionalSecretOutputs: ['bindings'] },
    )
    new cloudflare.WorkersCustomDomain(
      `${name}-domain`,
      { accountId, zoneId, hostname: signInHost, service: script.scriptName },
      // Every change is a replacement, and the service has one domain a hostname: deleting the old one last would
      // delete the new one.
      { parent: this, deleteBeforeReplace: true },
    )

    this.databaseId = database.id
    this.registerOutputs({ databaseId: this.databaseId })
  }
}

/** Declared in full, since a field that the service adds reads as a change; without the logs of invocations, which hold
 * the callback's query, and in it the code. */
const observability = {
  enabled: true,
  headSamplingRate: 1,
  logs: { enabled: true, headSamplingRate: 1, invocationLogs: false, persist: true },
  traces: { enabled: false, headSamplingRate: 1, persist: true },
}

/** The handler's settings, in the order of their names, so that the order is never a change. */
function bindings(args: SignInHandlerArgs, databaseId: pulumi.Output<string>) {
  const plain: Readonly<Record<string, pulumi.Input<string> | null>> = {
    TENANT_ID: args.tenantId,
    CLIENT_ID: args.clientId,
    ...handlerSettings(args.settings),
  }
  const secret: Readonly<Record<string, pulumi.Output<string>>> = {
    CLIENT_SECRET: pulumi.all([...args.clientSecrets]).apply(values => values.join(',')),
    SESSION_KEYS: args.sessionKeys,
  }
  return [
    ...Object.entries(plain).flatMap(([name, text]) =>
      text === null ? [] : [{ name, type: 'plain_text', text }],
    ),
    ...Object.entries(secret).map(([name, text]) => ({
      name,
      type: 'secret_text',
      text: pulumi.secret(text),
    })),
    { name: 'EMPLOYEES', type: 'd1', databaseId },
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
