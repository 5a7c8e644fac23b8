import type { Control } from '../control.ts'
import type { EntraDescription, EntraOptions } from '../entra/entra.ts'
import type { EntraUser } from '../entra/users.ts'
import type { Fault } from '../http/faults.ts'
import type { JournalEntry } from '../http/journal.ts'
import { type Sandbox, type SandboxDescription, startSandbox } from '../sandbox.ts'

/** A sandbox with the identity provider, and shorthands for its control. */
export class Entra {
  readonly sandbox: Sandbox<SandboxDescription & EntraDescription>

  private constructor(sandbox: Entra['sandbox']) {
    this.sandbox = sandbox
  }

  static async start({ seed = 1, ...entra }: EntraOptions & { readonly seed?: number }): Promise<Entra> {
    return new Entra(await startSandbox({ seed, entra }))
  }

  get description(): EntraDescription['entra'] {
    return this.sandbox.description.entra
  }

  get control(): Control {
    return this.sandbox.control
  }

  close(): Promise<void> {
    return this.sandbox.close()
  }

  /** The requests to the login service and Graph, oldest first. */
  get requests(): readonly JournalEntry[] {
    return this.control.journal().filter(({ service }) => service === 'entra' || service === 'graph')
  }

  clearRequests(): void {
    this.control.clearJournal()
  }

  setFaults(faults: readonly Fault[]): void {
    this.control.setFaults(faults)
  }

  setUsers(users: readonly EntraUser[]): void {
    this.control.setState({ entra: { users } })
  }

  setSecrets(live: readonly string[], expired: readonly string[] = []): void {
    this.control.setState({ entra: { clientSecrets: { live, expired } } })
  }
}
