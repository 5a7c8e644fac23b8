import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, type DecodedPacket, decode, encode, type RecordType } from 'dns-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { timeLimit } from '../support/time-limit.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

type Decoded = DecodedPacket & { rcode: string }

/** Sends a query in one datagram. */
async function query(name: string, type: RecordType): Promise<Decoded> {
  const socket = createSocket('udp4')
  const { port, host } = sandbox.at.nameServer
  socket.send(encode({ type: 'query', id: 7, questions: [{ name, type }] }), port, host)
  const [reply] = await once(socket, 'message', { signal: AbortSignal.timeout(timeLimit(30_000)) })
  socket.close()
  return decode(reply) as Decoded
}

const data = (answers: readonly Answer[] | undefined) =>
  (answers ?? []).map(answer => ('data' in answer ? answer.data : answer.type))

beforeAll(async () => {
  await sandbox.create({ type: 'A', name: 'a.deep.branch', content: '192.0.2.52' })
  await sandbox.create({ type: 'A', name: 'auto', content: '192.0.2.53', ttl: 1 })
  await sandbox.create({ type: 'A', name: 'hidden', content: '192.0.2.54', proxied: true })
})

describe('the name server', () => {
  it('answers authoritatively, offers no recursion, and keeps the case of the question', async () => {
    const reply = await query('HoMe.ExAmPlE.cOm', 'A')
    expect(reply).toMatchObject({ id: 7, rcode: 'NOERROR', flag_aa: true, flag_ra: false })
    expect(reply.questions).toMatchObject([{ name: 'HoMe.ExAmPlE.cOm', type: 'A' }])
    expect(reply.answers).toMatchObject([{ name: 'HoMe.ExAmPlE.cOm', data: '192.0.2.10', ttl: 120 }])
  })

  it('returns the SOA with negative answers, and NOERROR for an empty non-terminal', async () => {
    for (const [name, rcode] of [
      ['missing.example.com', 'NXDOMAIN'],
      ['deep.branch.example.com', 'NOERROR'],
    ] as const) {
      const reply = await query(name, 'A')
      expect(reply).toMatchObject({ rcode, flag_aa: true, answers: [] })
      expect(reply.authorities).toMatchObject([{ type: 'SOA', name: 'example.com' }])
    }
  })

  it('serves an automatic ttl as 300 and hides the content of proxied records', async () => {
    expect((await query('auto.example.com', 'A')).answers).toMatchObject([{ ttl: 300 }])
    expect(data((await query('hidden.example.com', 'A')).answers)).toEqual(['198.51.100.1'])
    expect(data((await query('hidden.example.com', 'AAAA')).answers)).toEqual(['2001:db8::1'])
  })
})
