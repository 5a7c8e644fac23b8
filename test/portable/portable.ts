import { equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../../sandbox/sandbox.ts'

// Starts the committed bundle on a system without what the tests need, such as macOS and Windows. It throws at the first
// difference.
const committed = fileURLToPath(new URL('../../action/dist', import.meta.url))
const work = await mkdtemp(join(tmpdir(), 'homeport-'))
const folder = join(work, 'a höme port')
await cp(committed, folder, { recursive: true })
const sandbox = await startSandbox()
const { cloudflare, echo } = sandbox.description

/** Runs the bundle with these variables, and otherwise those of this system, which is no step of a workflow. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { GITHUB_ACTIONS: _, ...system } = process.env
  const child = spawn(process.execPath, [join(folder, 'index.js'), ...args], {
    cwd: folder,
    env: { ...system, ...variables },
  })
  const [out, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status, out, output: out + errors }
}

/** Checks the record with a token in a file. Returns the exit status and the result. */
async function check(token: string): Promise<unknown> {
  const file = join(folder, 'a token.txt')
  await writeFile(file, `${token}\r\n`)
  const { status, out, output } = await run(['--json', '--api-token-file', file], {
    HOMEPORT_ZONE_ID: cloudflare.zoneId,
    HOMEPORT_HOSTNAME: `home.${cloudflare.zoneName}`,
    HOMEPORT_ADDRESS_SOURCES: echo.join(),
    HOMEPORT_BASE_URL: cloudflare.baseUrl,
    HOMEPORT_ALLOW_RESERVED_ADDRESS: 'true',
  })
  equal(output.includes(token), false, 'the token was printed')
  return `${status} ${JSON.parse(out).result}`
}

try {
  const help = await run(['--help'])
  match(help.out, /^homeport \d[\s\S]*--api-token-file FILE/)
  equal(help.status, 0)
  const wrong = await run(['--no-such-flag'])
  match(wrong.output, /error: .*no-such-flag/)
  equal(wrong.status, 1)
  equal(await check('x'.repeat(40)), '1 failed')
  equal(await check(cloudflare.dnsToken), '0 updated')
  equal(await check(cloudflare.dnsToken), '0 unchanged')

  const outputs = join(work, 'outputs of a step')
  await writeFile(outputs, '')
  const step = await run([], {
    GITHUB_ACTIONS: 'true',
    GITHUB_OUTPUT: outputs,
    'INPUT_API-TOKEN': cloudflare.dnsToken,
    'INPUT_ZONE-ID': 'not a zone',
  })
  equal(step.status, 1, step.output)
  match(step.output, /^::error title=Homeport/m)
  match(await readFile(outputs, 'utf8'), /^result<<\S+\r?\nfailed\r?$/m)
  process.stdout.write(`The bundle works with Node ${process.version} on ${process.platform}.\n`)
} finally {
  await sandbox.close()
  await rm(work, { recursive: true, force: true, maxRetries: 3 })
}
