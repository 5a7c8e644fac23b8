import { describe, expect, it } from 'vitest'
import { debianProgram, NoProgram } from '../../tools/debian.ts'
import { type Recipe, startFront } from './front.ts'
import { testProtection } from './protection.ts'

/** Finds the proxies, and says why one did not run. */
async function findProxies() {
  const found: Recipe[] = []
  for (const name of ['nginx', 'caddy'] as const) {
    try {
      found.push({ name, program: await debianProgram(name), basePath: '' })
    } catch (error) {
      if (!(error instanceof NoProgram)) throw error
      process.stderr.write(`${name} did not run: ${error.message}\n`)
    }
  }
  return found
}

const proxies = await findProxies()

const missing = ['nginx', 'caddy'].filter(name => proxies.every(proxy => proxy.name !== name))

it.skipIf(missing.length > 0)(
  `nginx and Caddy can run here${missing.map(name => ` (no ${name})`).join('')}`,
  () => {
    expect(proxies.map(({ name }) => name)).toEqual(['nginx', 'caddy'])
  },
)

describe.each(proxies)('$name, as the document configures it,', recipe => {
  testProtection(startFront(recipe), ({ status, text, headers }) => {
    expect(status).toBe(503)
    expect(text).toContain('<h1>The service is unavailable</h1>')
    expect(headers.join('\n')).toMatch(/^content-type: text\/html/m)
    expect(headers).toContain('cache-control: no-store')
  })
})
