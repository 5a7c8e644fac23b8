import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the demo as `npm run demo -- push …` does. Calls `whenPrinted` with all output so far. */
async function demo(
  args: readonly string[],
  whenPrinted: (text: string, end: () => void) => void = () => {},
) {
  const child = spawn(process.execPath, ['demo/demo.ts', 'push', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      text += chunk
      whenPrinted(text, () => child.kill('SIGINT'))
    })
  }
  const [status] = await once(child, 'close')
  return { status, text }
}

describe('the demo of the push endpoint', () => {
  it('shows each answer, and on the live page that pings arrive', async () => {
    let page: Promise<string> | null = null
    const { status, text } = await demo(['--keep'], (printed, end) => {
      const [, url] = /^ {2}(http:\/\/localhost:\d+\/)\n[\s\S]*curl --user/m.exec(printed) ?? []
      if (url === undefined || page !== null) return
      page = seenAfterPing(url).finally(end)
    })
    expect(text.match(/✓ endpoint +\d+ \w+/g)?.map(line => line.split(/ +/).slice(2).join(' '))).toEqual([
      '200 good',
      '200 nochg',
      '200 good',
      '401 badauth',
      '503 dnserr',
      '503 911',
      '200 good',
    ])
    expect(text).toMatch(/Every step succeeded/)
    expect(await page).toMatch(
      /<li class="unchanged">[\s\S]*The router has|The router has[\s\S]*<li class="unchanged">/,
    )
    expect(status).toBe(0)
  })

  it('prints its options with --help, and refuses an unknown one', async () => {
    expect((await demo(['--help'])).text).toContain('--keep')
    const { status, text } = await demo(['--nonsense'])
    expect(status).toBe(2)
    expect(text).toContain('--help')
  })
})

/** Presses the page's button for a ping. Returns the page that follows. */
async function seenAfterPing(url: string): Promise<string> {
  const headers = { origin: new URL(url).origin }
  const response = await fetch(new URL('/live/round', url), { method: 'POST', headers })
  return response.text()
}
