import { expect, it } from 'vitest'
import { createQueue } from '../../push/queue.ts'

it('work for a name waits for other work for it, also if that fails, and not for other names', async () => {
  const queue = createQueue()
  const done: string[] = []
  const blocked = Promise.withResolvers<void>()
  const failing = queue('home', async () => {
    await blocked.promise
    done.push('failing')
    throw new Error('no')
  })
  const next = queue('home', async () => void done.push('next'))
  const last = queue('home', async () => void done.push('last'))
  await queue('other', async () => void done.push('other'))
  expect(done).toEqual(['other'])
  blocked.resolve()
  await expect(failing).rejects.toThrow('no')
  await Promise.all([next, last])
  expect(done).toEqual(['other', 'failing', 'next', 'last'])
  await queue('home', async () => void done.push('later'))
  expect(done.at(-1)).toBe('later')
})
