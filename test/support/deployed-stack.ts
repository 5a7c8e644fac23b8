/** Outputs of a stack by name, with `[secret]` in place of a secret. */
export type Outputs = Readonly<Record<string, string>>

/** The demo's stack, and the engine that runs its program. */
export interface DeployedStack {
  /** Such as `the embedded engine`. */
  readonly engine: string
  readonly name: string
  /** Environment in which an operator's command finds the CLI and the credentials. */
  readonly environment: NodeJS.ProcessEnv
  /** Working directory of an operator's command. */
  readonly directory: string
  /** Sets keys of the program's configuration. */
  configure(changes: Readonly<Record<string, string>>): Promise<void>
  /** Deploys everything that is declared. @throws Error with what the engine reported */
  up(): Promise<Outputs>
  /** Returns the outputs as JSON, with the secrets in them, for a command's standard input. */
  secretOutputs(): Promise<string>
  /** Deletes everything that is not protected. @throws Error with what the engine reported */
  destroy(): Promise<void>
  close(): Promise<void>
}
