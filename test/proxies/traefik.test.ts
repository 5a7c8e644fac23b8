import { describe, expect, it } from 'vitest'
import { findTraefik } from '../../tools/traefik.ts'
import { testProxy } from './walk.ts'

const program = await findTraefik()
const unbuilt = program === null ? ' (not built: `npm test -- --project proxies traefik` builds it)' : ''

it.skipIf(program === null)(`Traefik can run here${unbuilt}`, () => {
  expect(program).not.toBeNull()
})

if (program !== null)
  describe('Traefik, as the document configures it,', () =>
    testProxy({ name: 'traefik', basePath: '/_homeport' }))
