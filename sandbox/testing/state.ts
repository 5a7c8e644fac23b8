import type { Control } from '../control/control.ts'
import type { EntraState } from '../entra/state.ts'
import type { GitHubState } from '../github/state.ts'

/** The parts of `/state` that hold the tenant and GitHub. */
export interface SandboxState {
  readonly entra: EntraState
  readonly github: GitHubState
}

/** Returns the state of a sandbox with both. Control knows no service, so its type names none of their keys. */
export const stateOf = (control: Control): SandboxState => control.state() as unknown as SandboxState
