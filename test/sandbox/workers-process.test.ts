import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { WorkersRuntime } from '../../sandbox/cloudflare/workers/runtime.ts'
import type { Deployment } from '../../sandbox/cloudflare/workers/runtime-options.ts'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'

const script = fileURLToPath(new URL('../../sandbox/cli.ts', import.meta.url))
/** Whether this system lists the children of a process (Linux). */
const listsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

async function start(...args: string[]) {
  const child = spawn(process.execPath, [script, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', chunk => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error('The sandbox ended.')))
  })
  return { child, description: JSON.parse(line) as SandboxDescription }
}

const end = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<number | null>(resolve => {
    child.removeAllListeners('exit')
    child.once('exit', resolve)
    child.kill(signal)
  })

/** Returns the names of a process's children by their ids. */
async function startedBy(pid: number | undefined): Promise<Map<string, string>> {
  const ids = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean)
  const names = ids.map(async id => [id, (await readFile(`/proc/${id}/comm`, 'utf8')).trim()] as const)
  return new Map(await Promise.all(names))
}

async function upload({ cloudflare }: SandboxDescription) {
  const form = new FormData()
  form.append('metadata', '{"main_module":"worker.js"}')
  const code = 'export default { fetch: () => new Response("") }'
  form.append('worker.js', new Blob([code], { type: 'application/javascript+module' }), 'worker.js')
  const url = `${cloudflare.apiUrl}/accounts/${cloudflare.accountId}/workers/scripts/one`
  const headers = { authorization: `Bearer ${cloudflare.adminToken}` }
  return (await fetch(url, { method: 'PUT', headers, body: form })).status
}

describe('workerd', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'starts once, with the first Worker, and ends with the sandbox on %s',
    async signal => {
      const { child, description } = await start()
      if (listsChildren) expect(await startedBy(child.pid)).toEqual(new Map())
      expect([await upload(description), await upload(description)]).toEqual([200, 200])
      const started = listsChildren ? await startedBy(child.pid) : new Map<string, string>()
      if (listsChildren) expect([...started.values()]).toEqual(['workerd'])
      expect(await end(child, signal)).toBe(0)
      for (const id of started.keys()) expect(existsSync(`/proc/${id}`)).toBe(false)
    },
  )

  test('is not started by a closed runtime', async () => {
    const runtime = new WorkersRuntime(() => ({ workers: [], databaseIds: [] }))
    await runtime.close()
    await expect(runtime.query('x', [], 'ARRAY_OF_OBJECTS')).rejects.toThrow('has been closed')
  })

  test('recovers if its first start fails', async () => {
    let deployment: Deployment = { workers: [], databaseIds: [] }
    const runtime = new WorkersRuntime(() => deployment)
    const worker = (code: string) => ({
      name: 'one',
      modules: [{ name: 'x.js', type: 'application/javascript+module', content: Buffer.from(code) }],
      mainModule: 'x.js',
      compatibilityDate: undefined,
      compatibilityFlags: [],
      bindings: [],
    })
    function deploy(code: string) {
      const wanted = { workers: [worker(code)], databaseIds: [] }
      return runtime.deploy(
        () => wanted,
        () => {
          deployment = wanted
        },
      )
    }
    await expect(deploy('throw new Error("first")')).rejects.toThrow('Uncaught Error: first')
    await deploy('export default { fetch: () => new Response("up") }')
    const request = { method: 'GET', url: 'http://one.example/', headers: {}, body: undefined }
    expect((await runtime.fetch('one', request)).body.toString()).toBe('up')
    await runtime.close()
  })
})

describe('npm run sandbox', () => {
  test('writes its certificate authority to --ca and serves HTTPS at --https-port', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ca-'))
    const file = join(folder, 'ca.pem')
    const { child, description } = await start('--ca', file)
    expect(await readFile(file, 'utf8')).toBe(description.ca)
    await end(child, 'SIGTERM')
    const { port } = description.https
    const again = await start('--https-port', String(port))
    expect(again.description.cloudflare.httpsUrl).toBe(`https://127.0.0.1:${port}`)
    await end(again.child, 'SIGTERM')
    await rm(folder, { recursive: true })
  })

  test('reports a --ca file that it cannot write', async () => {
    const child = spawn(process.execPath, [script, '--json', '--ca', '/nonexistent/ca.pem'])
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', chunk => {
      errors += chunk
    })
    const status = await new Promise(resolve => child.once('close', resolve))
    expect(status).toBe(2)
    expect(errors).toContain('--ca cannot write to "/nonexistent/ca.pem"')
  })
})
