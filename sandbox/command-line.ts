import { parseArgs } from 'node:util'
import { echoCount } from './echo/echo.ts'
import { ListenError } from './http/server.ts'
import type { SandboxOptions } from './sandbox.ts'

/** The default callback of the sign-in handler. */
const defaultRedirectUri = 'http://localhost:8080/auth/callback'

export const help = `Runs emulators of a DNS service with Workers and databases, a name server, DNS over HTTPS resolvers, address
echoes and an identity provider on loopback, until you stop it.

  npm run sandbox -- [options]

  --json               print one line of JSON with all addresses and tokens, and nothing else
  --seed N             whole number that determines every id and token (default 1)
  --port N             port of the DNS API over HTTP; its root is a page for browsers
  --https-port N       port of the DNS API over HTTPS
  --ca FILE            write the certificate authority of the HTTPS port to FILE, as PEM
  --dns-port N         port of the name server, UDP and TCP
  --control-port N     port of the control interface for tests
  --echo-ports A,B,C   ports of the three address echoes
  --redirect-uri URI   redirect URI of the identity provider's application; can be repeated
                       (default ${defaultRedirectUri})
  --entra-https        serve Entra’s login and Graph over HTTPS, at localhost
  --entra-public       make login.microsoftonline.com and graph.microsoft.com its base URLs, for
                       clients whose hosts file leads here
  --github             also emulate GitHub's API for secrets and variables
  --github-port N      port of that API
  --help               print this help

If a port is omitted or 0, any free port is used. No data is kept when the sandbox stops.
`

const flagOf: Readonly<Record<string, string>> = {
  cloudflare: '--port',
  https: '--https-port',
  dns: '--dns-port',
  control: '--control-port',
  echo: '--echo-ports',
  github: '--github-port',
}

/** An invalid command line. */
export class UsageError extends Error {}

function readNumber(flag: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) {
    throw new UsageError(`${flag} must be a whole number from 0 to ${max}, but is "${text}".`)
  }
  return Number(text)
}

const readPort = (flag: string, text: string | undefined): number => readNumber(flag, text, 65_535) ?? 0

interface CommandLine {
  readonly help: boolean
  readonly json: boolean
  /** The file for the certificate authority. */
  readonly ca: string | undefined
  readonly options: SandboxOptions
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args,
      options: {
        help: { ...flag, short: 'h' },
        json: flag,
        seed: text,
        port: text,
        'https-port': text,
        ca: text,
        'dns-port': text,
        'control-port': text,
        'echo-ports': text,
        'redirect-uri': { type: 'string', multiple: true },
        'entra-https': flag,
        'entra-public': flag,
        github: flag,
        'github-port': text,
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readRedirectUris(uris: readonly string[] = [defaultRedirectUri]): readonly string[] {
  const invalid = uris.find(uri => !URL.canParse(uri))
  if (invalid !== undefined) {
    throw new UsageError(
      `--redirect-uri must be a URL such as http://127.0.0.1:8080/auth/callback, but is "${invalid}".`,
    )
  }
  return uris
}

/**
 * Reads the command line.
 * @throws UsageError
 */
export function readCommandLine(args: string[]): CommandLine {
  const values = parse(args)
  const echo = values['echo-ports']?.split(',').map(port => readPort('--echo-ports', port)) ?? []
  if (echo.length !== 0 && echo.length !== echoCount) {
    throw new UsageError(
      `--echo-ports must be ${echoCount} ports separated by commas, but has ${echo.length}.`,
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
      entra: {
        redirectUris: readRedirectUris(values['redirect-uri']),
        secure: values['entra-https'],
        publicNames: values['entra-public'],
      },
    },
  }
}

function describeListenError({ service, port, cause }: ListenError): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const flag = flagOf[service] ?? service
  const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code ?? String(cause)})`
  return `Port ${port} of ${flag} ${problem}. Pass another port in ${flag}, or omit it to use any free port.`
}

/** Returns the message and the exit status for an expected error, or null for a bug. */
export function failureOf(error: unknown): { readonly message: string; readonly status: number } | null {
  if (error instanceof UsageError) {
    return { message: `${error.message}\nSee npm run sandbox -- --help.`, status: 2 }
  }
  return error instanceof ListenError ? { message: describeListenError(error), status: 1 } : null
}
