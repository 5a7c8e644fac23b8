import { describe, expect, it } from 'vitest'
import { findTraefik } from '../../tools/traefik.ts'
import { startFront } from './front.ts'
import { testProxy } from './walk.ts'

const program = await findTraefik()
const unbuilt = 'not built: `npm test -- --project proxies traefik` builds it'
if (program === null) process.stderr.write(`Traefik did not run: ${unbuilt}.\n`)

it.skipIf(program === null)(`Traefik can run here${program === null ? ` (${unbuilt})` : ''}`, () => {
  expect(program).not.toBeNull()
})

if (program !== null)
  describe('Traefik, as the document configures it,', () => {
    const front = startFront({ name: 'traefik', program, basePath: '/_homeport' })

    testProxy(front, ({ status }) => {
      expect([500, 503]).toContain(status)
    })
  })
