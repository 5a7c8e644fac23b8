/** Files that authenticate the application in place of a secret. Exactly one of these and `CLIENT_SECRET` is set. */
const credentialFileNames = ['CLIENT_CERTIFICATE_FILE', 'FEDERATED_TOKEN_FILE'] as const

/** A file that authenticates the application, and the setting that names it. */
export interface CredentialFile {
  readonly setting: (typeof credentialFileNames)[number]
  readonly path: string
}

/** Returns the files that are set to authenticate the application in place of a secret. More than one is a mistake. */
export function credentialFiles(env: Readonly<Record<string, unknown>>): readonly CredentialFile[] {
  return credentialFileNames.flatMap(setting => {
    const path = env[setting]
    return typeof path === 'string' && path.trim() !== '' ? [{ setting, path: path.trim() }] : []
  })
}
