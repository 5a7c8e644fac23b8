import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox({ entra: { redirectUris: [] }, github: true })

const text = await readFile(new URL('../../docs/development/control.md', import.meta.url), 'utf8')
const examples = [...text.matchAll(/```json (\S+) (\S+)\n(.*?)```/gs)].map(
  ([, method = '', path = '', body = '']) => [method, path, body] as const,
)

describe('docs/development/control.md', () => {
  it('has an example for every path that accepts PUT', () => {
    expect([...new Set(examples.map(([, path]) => path))].sort()).toEqual([
      '/clock',
      '/echo',
      '/faults',
      '/limits',
      '/state',
    ])
  })

  it.each(examples)('has an example that works: %s %s %s', async (method, path, body) => {
    const { status, body: answer } = await sandbox.control(method, path, body)
    expect(answer['error']).toBeUndefined()
    expect(status).toBe(200)
  })

  it('names every path', async () => {
    const { body } = await sandbox.control('GET', '/nothing')
    const paths = String(body['error']).match(/\/[a-z]+/g) ?? []
    for (const path of paths.filter(one => one !== '/nothing')) expect(text).toContain(path)
  })
})
