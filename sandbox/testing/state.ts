import type { CloudflareState } from '../cloudflare/state.ts'
import type { Control } from '../control.ts'
import type { EntraState } from '../entra/state.ts'
import type { GitHubState } from '../github/state.ts'

/** `/state` of a sandbox with every service. */
export interface SandboxState extends CloudflareState {
  readonly entra: EntraState
  readonly github: GitHubState
}

/** Returns the state of a sandbox, without the parts of services that it does not have. Control knows no service, so its type names none of their keys. */
export const stateOf = (control: Control): SandboxState => control.state() as unknown as SandboxState
