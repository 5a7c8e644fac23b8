import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { onPut } from '../support/stage.ts'

const program = fileURLToPath(new URL('real.ts', import.meta.url))

/** Runs `npm run test:real` with these settings, and interrupts it once it has printed a text. */
function run(env: Record<string, string>, args: readonly string[] = [], interruptAt = '\0') {
  return new Promise<{ status: number | string | null; stdout: string }>(resolve => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { PATH: process.env['PATH'], ...env } },
      (_, stdout) => resolve({ status: child.exitCode, stdout }),
    )
    child.stdout?.on('data', (text: string) => {
      if (text.includes(interruptAt)) child.kill('SIGINT')
    })
  })
}

it('names what differs and what was not run, and leaves no record behind after Ctrl-C', async () => {
  const sandbox = await startSandbox({ seed: 7 })
  try {
    const { apiUrl, adminToken, zoneId } = sandbox.description.cloudflare
    const answer = { kind: 'respond', status: 403, body: '{}' } as const
    sandbox.control.setFaults([{ match: onPut, times: null, answer }])
    const env = {
      HOMEPORT_REAL_BASE_URL: apiUrl,
      HOMEPORT_REAL_TOKEN: adminToken,
      HOMEPORT_REAL_ZONE_ID: zoneId,
    }
    const { status, stdout } = await run(env, [], 'differs changed\n')
    expect(stdout).toMatch(/differs changed\n +\/runs\/0\/status: 1 instead of 0\n/)
    expect(stdout).not.toContain(adminToken)
    expect(status).toBe(130)
    expect(JSON.stringify(sandbox.control.state())).not.toContain('homeport-check-')
  } finally {
    await sandbox.close()
  }
})

it('compares the answers to requests without a credential', async () => {
  const sandbox = await startSandbox({ seed: 7 })
  try {
    const env = { HOMEPORT_REAL_BASE_URL: sandbox.description.cloudflare.apiUrl }
    expect(await run(env, ['--probes'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('same    an unknown path'),
    })
  } finally {
    await sandbox.close()
  }
})
