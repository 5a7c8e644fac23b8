/** Writes the generated pages of docs/. With --check, only reports which of them are out of date. */
await import('./write-action-docs.ts')
await import('./write-asvs.ts')
await import('./write-picture.ts')
await import('./write-sandbox-docs.ts')
await import('./write-settings-docs.ts')
