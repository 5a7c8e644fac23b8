import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../sandbox/http/faults.ts'
import { first, hostLine, password, second } from '../push/endpoint.ts'
import { settingsFor } from '../push/support.ts'
import { onList, onPut, type Stage, startStage } from '../support/stage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { whyNoNamespace } from './namespace.ts'
import { fronts, outputOf, type PushFront, startPushFront } from './push-front.ts'
import { ddclient, inadyn, names } from './routers.ts'

/** The record while a fault lasts, and what lasts until then. inadyn waits 10 seconds for an answer. */
const faults: readonly (readonly [name: string, during: string, faults: readonly Fault[]])[] = [
  ['is slow', first, [{ match: {}, times: null, answer: { kind: 'delay', byMs: 60_000 } }]],
  [
    'limits requests',
    first,
    [{ match: {}, times: null, answer: { kind: 'respond', status: 429, headers: { 'retry-after': '300' } } }],
  ],
  ['answers 500', first, [{ match: {}, times: null, answer: { kind: 'respond', status: 500 } }]],
  [
    'changes the record and then answers nothing',
    second,
    [
      { match: onPut, times: null, commit: true, answer: { kind: 'reset' } },
      { match: onList, skip: 1, times: null, answer: { kind: 'reset' } },
    ],
  ],
]

describe.skipIf(whyNoNamespace !== '').each(fronts.filter(({ proxy }) => proxy === 'nginx'))(
  'a fault over TLS, with $name,',
  front => {
    let stage: Stage & { close(): Promise<void> }
    let network: PushFront
    let folder: string
    let name = ''
    let used = 0
    beforeAll(async () => {
      stage = await startStage()
      const env = {
        ...settingsFor(stage.description),
        HOSTS: (await Promise.all(names.map(name => hostLine(name)))).join('\n'),
      }
      network = await startPushFront(front, env)
      await network.setAddress(second)
    })
    afterAll(async () => {
      await network.stop()
      await stage.close()
    })
    beforeEach(async () => {
      folder = temporaryFolder()
      await stage.setFaults()
      name = names[used++] ?? ''
      await stage.setRecords({ name, content: first })
      await stage.control('DELETE', '/journal')
    })

    const contents = async () => (await stage.records()).map(({ content }) => content)

    /** Checks that the record has the address now, and that it was written once, and not otherwise. */
    async function expectWrittenOnce(): Promise<void> {
      expect(await contents()).toEqual([second])
      const writes = (await stage.journal()).filter(({ method }) => method !== 'GET')
      expect(writes.map(({ method, body }) => [method, JSON.parse(body ?? '').content])).toEqual([
        ['PUT', second],
      ])
      expect(await network.readLog()).not.toContain(password)
    }

    it.each(faults)('ddclient tries again if Cloudflare %s', async (_, during, given) => {
      await stage.setFaults(...given)
      expect((await network.run(...(await ddclient(folder, name, password)))).output).toBe('')
      expect(await contents()).toEqual([during])
      await stage.setFaults()
      // After the five minutes that it waits. The seconds of its last attempt are in its cache.
      const cache = join(folder, 'cache')
      const aged = (await readFile(cache, 'utf8')).replace(
        /atime=(\d+)/,
        (_, at) => `atime=${Number(at) - 301}`,
      )
      await writeFile(cache, aged)
      expect((await network.run(...(await ddclient(folder, name, password)))).output).toMatch(
        /^(SUCCESS: {2}.*: good: |WARNING: {2}.*: nochg: )/,
      )
      await expectWrittenOnce()
    })

    it.each(faults)('inadyn goes on if Cloudflare %s', async (_, during, given) => {
      await stage.setFaults(...given)
      const child = await network.start(...(await inadyn(folder, name, password)))
      const output = outputOf(child)
      const ended = once(child, 'exit')
      /** Resolves once inadyn has printed this, and rejects if it ends. */
      async function printed(pattern: RegExp): Promise<void> {
        while (!pattern.test(output())) {
          const printing = [child.stdout, child.stderr].flatMap(stream =>
            stream ? [once(stream, 'data')] : [],
          )
          await Promise.race([...printing, ended])
          if (child.exitCode !== null) throw new Error(`inadyn ended: ${output()}`)
        }
      }
      try {
        await printed(/retry/i)
        expect(await contents()).toEqual([during])
        await stage.setFaults()
        // Instead of waiting ten minutes: it updates at once.
        child.kill('SIGUSR1')
        await printed(/Updating cache for/)
        await expectWrittenOnce()
      } finally {
        child.kill('SIGTERM')
      }
      expect((await ended)[0]).toBe(0)
    })
  },
)
