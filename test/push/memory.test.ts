import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { exchange } from '../../push/exchange.ts'
import { runs } from '../support/random.ts'
import { startStage } from '../support/stage.ts'
import { first, home, startEndpoint } from './endpoint.ts'

/** Bytes that one more ping may leave behind. About 25 were measured; a ping that is kept has many hundreds. */
const maxBytesEach = 200
/** The sample takes few, the long run thousands. */
const pings = Math.min(runs(250), 4000)

it('pings with the same address leave no ping in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const stage = await startStage()
  try {
    stage.setRecords({ content: first })
    let last: Awaited<ReturnType<typeof exchange>> | null = null
    const once: typeof exchange = async request => (last ??= await exchange(request))
    const { ping } = await startEndpoint(stage, {}, { exchange: once, log: () => {} })
    async function heapAfter(count: number): Promise<number> {
      for (let sent = 0; sent < count; sent++)
        if (!(await ping(`hostname=${home}&myip=${first}`)).body.startsWith('nochg'))
          throw new Error(`ping ${sent} is not nochg`)
      collect()
      return process.memoryUsage().heapUsed
    }
    const sizes = [await heapAfter(500)]
    for (let round = 0; round < 3; round++) sizes.push(await heapAfter(pings))
    // The engine compiles and forgets code at its own times. A ping that is kept shows in each round.
    const grown = Math.min(...sizes.slice(1).map((size, round) => size - (sizes[round] ?? 0)))
    expect(grown).toBeLessThan(pings * maxBytesEach)
  } finally {
    await stage.close()
  }
})
