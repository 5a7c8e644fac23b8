import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { installed, installTimeoutMs } from './registry-program.ts'

/**
 * Returns the path of the loader of Docker Compose, compose-go, which checks files against the schema of the compose
 * specification. Builds it with Go once.
 * @throws Error with one sentence if Go or the module is missing
 */
export function composeLoader(): Promise<string> {
  const version = '2.16.2'
  return installed(`compose-go-${version}`, 'cmd', 'Go', async work => {
    const module = `github.com/compose-spec/compose-go/v2/cmd@v${version}`
    const env = { ...process.env, GOBIN: work }
    await promisify(execFile)('go', ['install', module], { env, timeout: installTimeoutMs })
    return work
  })
}
