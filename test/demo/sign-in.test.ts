import { expect, it } from 'vitest'
import { Visitor } from '../support/visitor.ts'
import { startDemo } from './demo.ts'

it('the sign-in demo serves the people that it names until it is interrupted', async () => {
  const { ended, printed, process } = startDemo(['sign-in'])
  const [, origin = ''] = await printed(/Open (http:\S+)[\s\S]*Ctrl-C/)
  const [alice, contractor] = await Promise.all(
    ['alice', 'contractor'].map(name => new Visitor(origin).signIn(`${name}@example.com`)),
  ).finally(() => process.kill('SIGINT'))
  expect(alice?.body).toMatchObject({ user: { username: 'alice', isAdmin: true } })
  expect(contractor?.body).toMatchObject({ code: 'not-in-system' })
  const { status, stdout } = await ended
  for (const name of ['alice', 'bob', 'contractor']) expect(stdout).toContain(`${name}@example.com`)
  expect(status).toBe(0)
  await expect(fetch(origin)).rejects.toThrow()
})
