import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stage, startStage } from '../support/stage.ts'
import { openings, setRecords, settingsOn } from './cases.ts'
import { home, second } from './endpoint.ts'
import { startGate } from './gate.ts'
import { ask, type Started, startNode } from './started.ts'

let stage: Stage & { close(): Promise<void> }
beforeAll(async () => {
  stage = await startStage()
  await setRecords(stage)
})
afterAll(() => stage.close())

/** For requests and for the end after SIGTERM, each with a margin for a busy machine. */
const limitMs = 1500
const marginMs = 5000

/** Opens connections that never finish a request. */
function openUnfinished({ port }: Started): Promise<readonly Socket[]> {
  return Promise.all(
    openings.map(async bytes => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.on('error', () => {}).write(bytes)
      return socket
    }),
  )
}

describe.concurrent('clients that never finish a request, on Node,', () => {
  it('are cut off at the limit', async () => {
    const endpoint = await startNode(await settingsOn(stage), { isShort: true })
    try {
      const startedMs = performance.now()
      const answers = (await openUnfinished(endpoint)).map(text)
      for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(performance.now() - startedMs).toBeGreaterThan(limitMs - 200)
      expect(performance.now() - startedMs).toBeLessThan(limitMs + marginMs)
    } finally {
      await endpoint.stop()
    }
  })

  it('delay the end by the limit at most, and a ping under way is answered before', async () => {
    const gate = await startGate(stage.description.cloudflare.baseUrl)
    const endpoint = await startNode(
      { ...(await settingsOn(stage)), BASE_URL: gate.baseUrl },
      { isShort: true },
    )
    try {
      await openUnfinished(endpoint)
      gate.hold('PUT')
      const answer = ask(endpoint, `/nic/update?hostname=${home}&myip=${second}`)
      await gate.until(held => held.length === 1)
      const startedMs = performance.now()
      // Expects status 0.
      const stopped = endpoint.stop()
      await gate.release('PUT')
      expect(await answer).toMatchObject({ status: 200, body: `good ${second}\n` })
      await stopped
      expect(performance.now() - startedMs).toBeLessThan(limitMs + marginMs)
    } finally {
      gate.close()
    }
  })
})
