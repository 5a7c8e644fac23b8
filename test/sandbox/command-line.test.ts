import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failureOf, help, readCommandLine } from '../../sandbox/command-line.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'

/** Returns the message and status with which a command line is refused. */
function refusalOf(args: string[]) {
  try {
    readCommandLine(args)
  } catch (error) {
    return failureOf(error)
  }
  return undefined
}

describe('the command line', () => {
  it.each([
    [['--colour'], '--colour'],
    [['--port', 'x'], '--port must be a whole number from 0 to 65535, but is "x"'],
    [['--port', '65536'], 'but is "65536"'],
    [['--seed', '-1'], '--seed'],
    [['--echo-ports', '1,2'], '--echo-ports must be 3 ports separated by commas, but has 2'],
    [['--redirect-uri', 'callback'], '--redirect-uri must be a URL'],
    [['extra'], 'extra'],
  ])('refuses %j with status 2', (args, message) => {
    const refusal = refusalOf(args)
    expect(refusal?.status).toBe(2)
    expect(refusal?.message).toContain(message)
    expect(refusal?.message).toContain('--help')
  })

  it('is described by the help', () => {
    for (const flag of [
      '--json',
      '--seed',
      '--port',
      '--https-port',
      '--ca',
      '--dns-port',
      '--control-port',
      '--echo-ports',
    ]) {
      expect(help).toContain(flag)
    }
  })
})

describe('a port that is in use', () => {
  const server = createServer()
  let port = ''
  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address !== null && typeof address === 'object') port = String(address.port)
  })
  afterAll(() => server.close())

  it.each(['--port', '--https-port', '--dns-port', '--control-port', '--echo-ports', '--github-port'])(
    'is reported with %s',
    async flag => {
      const { options } = readCommandLine([flag, flag === '--echo-ports' ? `${port},0,0` : port])
      const started = startSandbox({ ...options, entra: undefined })
      const failure = failureOf(await started.catch((error: unknown) => error))
      expect(failure?.status).toBe(1)
      expect(failure?.message).toContain(`Port ${port} of ${flag} is in use.`)
    },
  )
})
