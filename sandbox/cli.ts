import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { echoCount } from './echo/echo.ts'
import { welcome } from './home-page/welcome.ts'
import { ListenError } from './http/server.ts'
import { type SandboxOptions, startSandbox } from './sandbox.ts'

/** Where the sign-in handler listens when it is started as it is. */
const defaultRedirectUri = 'http://localhost:8080/auth/callback'

const help = `Serves stand-ins for a DNS service with its Workers and databases, a name server, resolvers over HTTPS, address
echoes and an identity provider on loopback, until it is ended.

  npm run sandbox -- [options]

  --json               print one line of JSON that says where everything is, and nothing else
  --seed N             whole number that every identifier and token follows from (1)
  --port N             port of the DNS API, over HTTP; a browser finds a page there
  --https-port N       port of the same over HTTPS
  --ca FILE            write the certificate authority of the HTTPS port to FILE, as PEM
  --dns-port N         port of the name server, UDP and TCP
  --control-port N     port of the test control
  --echo-ports A,B,C   ports of the three address echoes
  --redirect-uri URI   where the identity provider's application returns to; may be given again (${defaultRedirectUri})
  --github             stand in for the interface that hands secrets and variables to workflows, too
  --github-port N      its port
  --help               this text

A port that is not given, or 0, is any free one. Nothing is kept when it ends.
`

const flagOf: Readonly<Record<string, string>> = {
  cloudflare: '--port',
  https: '--https-port',
  dns: '--dns-port',
  control: '--control-port',
  echo: '--echo-ports',
  github: '--github-port',
}

/** A command line that cannot be followed. */
class UsageError extends Error {}

const readNumber = (flag: string, text: string | undefined, most: number): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) > most) {
    throw new UsageError(`${flag} must be a whole number from 0 to ${most}, but is "${text}".`)
  }
  return Number(text)
}

const readPort = (flag: string, text: string | undefined): number => readNumber(flag, text, 65_535) ?? 0

type CommandLine = {
  readonly help: boolean
  readonly json: boolean
  /** The file for the certificate authority. */
  readonly ca: string | undefined
  readonly options: SandboxOptions
}

const parse = (args: string[]) => {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args,
      options: {
        help: flag,
        json: flag,
        seed: text,
        port: text,
        'https-port': text,
        ca: text,
        'dns-port': text,
        'control-port': text,
        'echo-ports': text,
        'redirect-uri': { type: 'string', multiple: true },
        github: flag,
        'github-port': text,
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const readRedirectUris = (uris: readonly string[] = [defaultRedirectUri]): SandboxOptions['entra'] => {
  const wrong = uris.find(uri => !URL.canParse(uri))
  if (wrong !== undefined) {
    throw new UsageError(
      `--redirect-uri must be an address such as http://127.0.0.1:8080/auth/callback, but is "${wrong}".`,
    )
  }
  return { redirectUris: uris }
}

const readCommandLine = (args: string[]): CommandLine => {
  const values = parse(args)
  const echo = values['echo-ports']?.split(',').map(port => readPort('--echo-ports', port)) ?? []
  if (echo.length !== 0 && echo.length !== echoCount) {
    throw new UsageError(
      `--echo-ports must be ${echoCount} ports with commas between, but has ${echo.length}.`,
    )
  }
  return {
    help: values.help,
    json: values.json,
    ca: values.ca,
    options: {
      seed: readNumber('--seed', values.seed, Number.MAX_SAFE_INTEGER) ?? 1,
      ports: {
        cloudflare: readPort('--port', values.port),
        https: readPort('--https-port', values['https-port']),
        dns: readPort('--dns-port', values['dns-port']),
        control: readPort('--control-port', values['control-port']),
        echo,
        github: readPort('--github-port', values['github-port']),
      },
      github: values.github || values['github-port'] !== undefined,
      entra: readRedirectUris(values['redirect-uri']),
    },
  }
}

const reasonOf = ({ service, port, cause }: ListenError): string => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const cure = `Give another port with ${flagOf[service]}, or none for any free one.`
  return code === 'EADDRINUSE'
    ? `Port ${port} of ${flagOf[service]} is taken. ${cure}`
    : `Port ${port} of ${flagOf[service]} cannot be used (${code ?? String(cause)}). ${cure}`
}

const fail = (message: string, exitCode: number): void => {
  process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}

const writeAuthority = async (file: string, pem: string): Promise<void> => {
  try {
    await writeFile(file, pem)
  } catch (error) {
    throw new UsageError(`--ca cannot write to "${file}": ${(error as Error).message}.`)
  }
}

const main = async (): Promise<void> => {
  const { help: helpWanted, json, ca, options } = readCommandLine(process.argv.slice(2))
  if (helpWanted) {
    process.stdout.write(help)
    return
  }
  const ended = new Promise<void>(resolve => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  const sandbox = await startSandbox(options)
  try {
    if (ca !== undefined) await writeAuthority(ca, sandbox.description.ca)
  } catch (error) {
    await sandbox.close()
    throw error
  }
  const coloured = process.stdout.isTTY && process.stdout.hasColors()
  process.stdout.write(
    json ? `${JSON.stringify(sandbox.description)}\n` : welcome(sandbox.description, coloured),
  )
  await ended
  await sandbox.close()
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) fail(`${error.message}\nSee npm run sandbox -- --help.`, 2)
  else if (error instanceof ListenError) fail(reasonOf(error), 1)
  else throw error
})
