import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { showProblem } from '../../src/pages/browser.ts'
import { callbackScript, dashboardScript, signInScript } from '../../src/pages/scripts.ts'
import { routes } from '../../src/routes.ts'
import { root } from '../../tools/bundle.ts'
import { honoProblem, workerBundle } from '../../tools/worker.ts'

describe('the Worker’s bundle', () => {
  it('has at most 40,000 bytes compressed', async () => {
    expect(gzipSync(await readFile(workerBundle), { level: 9 }).length).toBeLessThanOrEqual(40_000)
  })

  it('carries no comment, such as what a setting means', async () => {
    const text = await readFile(workerBundle, 'utf8')
    expect(text).toContain('ALLOWED_DOMAINS')
    expect(text).not.toContain('the primary one first; `*` for any')
  })

  it('is not built from a version of Hono whose unused modules nobody looked for', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(honoProblem(dependencies.hono)).toBeNull()
    expect(honoProblem('4.99.0')).toMatch(
      /^Hono is 4\.99\.0, but the build leaves out modules of Hono [\d.]+\. Check/,
    )
  })
})

describe('the pages’ scripts', () => {
  it('call only routes that exist', () => {
    const called = [signInScript, callbackScript, dashboardScript, showProblem].flatMap(script =>
      [...String(script).matchAll(/(?:['"]|\$\{basePath\})(\/[a-z/-]*)/g)].map(match => match[1]),
    )
    expect(new Set(called)).toEqual(
      new Set([
        routes.loginUrl,
        routes.callback,
        routes.session,
        routes.logout,
        routes.logoutAll,
        routes.signIn,
      ]),
    )
  })
})
