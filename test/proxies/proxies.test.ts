import { describe, expect, it } from 'vitest'
import { debianProgram, NoProgram } from '../../tools/debian.ts'
import { startFront } from './front.ts'
import type { Recipe } from './running.ts'
import { testProxy } from './walk.ts'

/** The lines that an operator uncomments to rename headers. */
const renaming = {
  nginx: /# (proxy_set_header (?:Remote|X-Forwarded)-User)/g,
  caddy: /# (request_header (?:-\*user|@known))/g,
}

const openPath = ({ basePath }: Recipe) => `${basePath === '' ? '/timesheets' : ''}/manifest.webmanifest`

const proxies: (Recipe & { readonly name: 'nginx' | 'caddy' })[] = []
const missing: string[] = []
for (const name of ['nginx', 'caddy'] as const) {
  try {
    const program = await debianProgram(name)
    for (const basePath of ['/_homeport', '']) proxies.push({ name, program, basePath })
  } catch (error) {
    if (!(error instanceof NoProgram)) throw error
    missing.push(name)
    process.stderr.write(`${name} did not run: ${error.message}\n`)
  }
}

it.skipIf(missing.length > 0)(
  `nginx and Caddy can run here${missing.map(name => ` (no ${name})`).join('')}`,
  () => {
    expect(missing).toEqual([])
  },
)

describe.each(proxies)('$name with BASE_PATH=$basePath, as the document configures it,', recipe => {
  const front = startFront(recipe)

  it('gives headers the names that the application expects, and removes the visitor’s own', async () => {
    const { port, stop } = await front.startEdited([[renaming[recipe.name], '$1']])
    const { person, cookie } = await front.signedIn()
    const headers = [
      'Remote-User: boss',
      'Remote_User: boss',
      'X-Forwarded-User: boss',
      'X_Forwarded_User: boss',
    ]
    await front.ask('/timesheets/', { headers: [cookie, ...headers], port })
    await front.ask(openPath(recipe), { headers: [cookie, ...headers], port })
    await front.ask('/timesheets/', { headers, port })
    await stop()
    const names = front.passed().map(passed => passed.headers.filter(([name]) => /user$/i.test(name)))
    expect(
      names.map(pairs => Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))),
    ).toEqual([{ 'remote-user': person.userName, 'x-forwarded-user': person.userName }, {}])
    expect(names[0]).toHaveLength(2)
  })

  testProxy(front, ({ status, text, headers }) => {
    expect(status).toBe(503)
    expect(text).toContain('<h1>The service is unavailable</h1>')
    expect(headers.join('\n')).toMatch(/^content-type: text\/html/m)
    expect(headers).toContain('cache-control: no-store')
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(text).toContain('color-scheme:light dark')
  })
})
