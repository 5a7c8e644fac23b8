import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { failureOf, readCommandLine } from '../../sandbox/command-line.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { listen } from '../support/listen.ts'

/** Returns the message and status with which a command line is refused. */
function refusalOf(args: string[]) {
  try {
    readCommandLine(args)
  } catch (error) {
    return failureOf(error)
  }
  return undefined
}

it.each([
  [['--colour'], '--colour'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, but is "65536"'],
  [['--seed', '-1'], '--seed'],
  [['--redirect-uri', 'callback'], '--redirect-uri must be a URL'],
  [['extra'], 'extra'],
])('refuses %j with status 2', (args, message) => {
  const refusal = refusalOf(args)
  expect(refusal?.status).toBe(2)
  expect(refusal?.message).toContain(message)
})

it('names a port that is in use', async () => {
  const server = createServer()
  const port = Number(new URL(await listen(server)).port)
  const started = startSandbox({ port })
  const failure = failureOf(await started.catch((error: unknown) => error))
  server.close()
  expect(failure).toMatchObject({
    status: 1,
    message: expect.stringContaining(`Port ${port} of --port is in use`),
  })
})
