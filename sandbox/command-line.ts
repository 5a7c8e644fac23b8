import { parseArgs } from 'node:util'
import { ListenError } from './http/server.ts'
import type { SandboxOptions } from './sandbox.ts'

/** The default callback of the sign-in handler. */
const defaultRedirectUri = 'http://localhost:8080/auth/callback'

export const help = `Runs emulators of a DNS service with Workers and databases, a name server, DNS over HTTPS resolvers, address
echoes and an identity provider on loopback, until you stop it.

  npm run sandbox -- [options]

  --json               print one line of JSON with all addresses and tokens, and nothing else
  --seed N             whole number that determines every id and token (default 1)
  --port N             port of the DNS API over HTTP (default any free one)
  --ca FILE            write the certificate authority of the HTTPS port to FILE, as PEM
  --redirect-uri URI   redirect URI of the identity provider's application; can be repeated
                       (default ${defaultRedirectUri})
  --github             also emulate GitHub's API for secrets and variables
  --help               print this help

No data is kept when the sandbox stops.
`

/** An invalid command line. */
export class UsageError extends Error {}

function readNumber(flag: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text) || Number(text) > max) {
    throw new UsageError(`${flag} must be a whole number from 0 to ${max}, but is "${text}".`)
  }
  return Number(text)
}

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
        ca: text,
        'redirect-uri': { type: 'string', multiple: true },
        github: flag,
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

/** Reads the command line. @throws UsageError */
export function readCommandLine(args: string[]): CommandLine {
  const values = parse(args)
  return {
    help: values.help,
    json: values.json,
    ca: values.ca,
    options: {
      seed: readNumber('--seed', values.seed, Number.MAX_SAFE_INTEGER) ?? 1,
      port: readNumber('--port', values.port, 65_535) ?? 0,
      github: values.github,
      entra: { redirectUris: readRedirectUris(values['redirect-uri']) },
    },
  }
}

/** Returns the message and the exit status for an expected error, or null for a bug. */
export function failureOf(error: unknown): { readonly message: string; readonly status: number } | null {
  if (error instanceof UsageError) {
    return { message: `${error.message}\nSee npm run sandbox -- --help.`, status: 2 }
  }
  if (!(error instanceof ListenError)) return null
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code
  const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code ?? String(error.cause)})`
  return { message: `Port ${error.port} of --port ${problem}. Pass another one, or none.`, status: 1 }
}
