import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { bundle } from '../../support/command.ts'
import { createNamespace, whyNoNamespace } from '../../support/namespace.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const why = whyNoNamespace('ip', 'link', 'set', 'lo', 'up')
const script =
  'ip link set lo up; printf "nameserver %s\\n" "$1" > "$2"; mount --bind "$2" /etc/resolv.conf; echo up'
const silentResolver = `require('node:dgram').createSocket('udp4').bind(53, '127.0.0.1', () => console.log('up'))`

/** Runs a check in a network of its own, which has nothing but a resolver that never answers, or none. */
async function check(flags: readonly string[], resolver: 'none' | 'silent') {
  const server = resolver === 'silent' ? '127.0.0.1' : '192.0.2.53'
  const network = await createNamespace(script, server, join(temporaryFolder(), 'resolv.conf'))
  const silent = resolver === 'silent' ? network.start(process.execPath, ['-e', silentResolver]) : null
  if (silent) await once(silent.stdout, 'data')
  const args = [
    bundle,
    '--hostname',
    'home.example.com',
    '--zone-id',
    'f'.repeat(32),
    '--timeout',
    '5s',
    ...flags,
  ]
  const command = network.start(process.execPath, args, { HOMEPORT_API_TOKEN: 'x'.repeat(40) })
  const closed = once(command, 'close')
  let reportedMs = Number.NaN
  command.stdout.on('data', chunk => {
    if (/requests? in /.test(String(chunk))) reportedMs = performance.now()
  })
  const [output, errors, [status]] = await Promise.all([text(command.stdout), text(command.stderr), closed])
  const heldMs = performance.now() - reportedMs
  silent?.kill()
  await network.close()
  return { status, output: output + errors, heldMs }
}

describe.skipIf(why)(`a machine on which no name can be resolved${why}`, () => {
  it('is told so with the error of the system', async () => {
    const { status, output } = await check([], 'none')
    expect(status).toBe(1)
    expect(output).toContain('failed (address-unavailable)')
    expect(output).toMatch(/error: .*EAI_AGAIN.* This machine cannot resolve names\. /)
    expect(output).not.toMatch(/deadline|raise/)
  })

  it('because its resolver is silent, is told so, and the process ends soon after its result', async () => {
    const { status, output, heldMs } = await check(['--address', '8.8.8.8'], 'silent')
    expect(status).toBe(1)
    expect(output).toMatch(/its name was not resolved.* This machine cannot resolve names\. /)
    // The resolver of the system goes on for ten seconds, and half are left.
    expect(heldMs).toBeLessThan(4000)
  })
})
