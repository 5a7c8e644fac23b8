import { expect, it } from 'vitest'
import { runPushCommand } from '../../push/command.ts'
import { readCommandLine } from '../../sandbox/command-line.ts'
import { runEmployeesCommand } from '../../src/operator/cli.ts'

it.each(['-h', '--help'])('%s prints the help of the commands, and does nothing else', async flag => {
  const printed: string[] = []
  const line = (text: string) => void printed.push(text)
  const fail = () => expect.fail('does more')
  expect(readCommandLine([flag]).help).toBe(true)
  expect(await runPushCommand([flag], { env: {}, line, problem: fail, serve: fail })).toBe(0)
  expect(await runEmployeesCommand([flag], {}, { line, problem: fail, log: fail })).toBe(0)
  expect(printed).toEqual([
    expect.stringMatching(/^Usage: npm run push/),
    expect.stringMatching(/^Usage: npm run employees/),
  ])
})
