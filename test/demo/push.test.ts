import { expect, it } from 'vitest'
import { startDemo } from './demo.ts'

it('the demo of the push endpoint shows each answer, and on the live page that pings arrive', async () => {
  const { ended, printed, process } = startDemo(['push', '--keep'])
  const [, url = ''] = await printed(/^ {2}(http:\/\/localhost:\d+\/)\n[\s\S]*curl --user/m)
  const page = await seenAfterPing(url).finally(() => process.kill('SIGINT'))
  const { status, stdout } = await ended
  expect(stdout.match(/✓ endpoint +\d+ \w+/g)?.map(line => line.split(/ +/).slice(2).join(' '))).toEqual([
    '200 good',
    '200 nochg',
    '200 good',
    '401 badauth',
    '503 dnserr',
    '503 911',
    '200 good',
  ])
  expect(stdout).toMatch(/Every step succeeded/)
  expect(page).toMatch(
    /<li class="unchanged">[\s\S]*The router has|The router has[\s\S]*<li class="unchanged">/,
  )
  expect(status).toBe(0)
})

/** Presses the page's button for a ping. Returns the page that follows. */
async function seenAfterPing(url: string): Promise<string> {
  const headers = { origin: new URL(url).origin }
  const response = await fetch(new URL('/live/round', url), { method: 'POST', headers })
  return response.text()
}
