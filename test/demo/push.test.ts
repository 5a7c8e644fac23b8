import { expect, it } from 'vitest'
import { startDemo } from './demo.ts'

it('the demo of the push endpoint shows each answer', async () => {
  const { status, stdout } = await startDemo(['push']).ended
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
  expect(status).toBe(0)
})
