import { isIPv4 } from 'node:net'
import { quote } from '../report/quote.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What an input stands at when it is left out or blank. `action.yml` shows the same, and a test compares them. */
export const inputDefaults = {
  'allow-reserved-address': 'false',
  'allow-hosted-runner': 'false',
  ttl: '120',
  proxied: 'false',
  'on-drift': 'warn',
  create: 'false',
  'dry-run': 'false',
  'base-url': 'https://api.cloudflare.com',
  timeout: '60s',
  'mask-address': 'auto',
} as const

/**
 * The inputs of one run, as text. Whoever reads a wrong one complains, with a message that goes on after the input's
 * name, and returns a placeholder: it is never used, since a run with complaints ends before it starts.
 */
export interface Reader {
  /** Trimmed; empty when the input was left out. */
  text(name: string): string
  /** Trimmed lines, without empty ones. */
  lines(name: string): readonly string[]
  addProblem(input: string, message: string): void
}

/** Reads `INPUT_*` as the runner sets them; complaints are added to `problems`. */
export function createReader(env: Environment, problems: string[]): Reader {
  const text = (name: string) => (env[`INPUT_${name.toUpperCase()}`] ?? '').trim()
  return {
    text,
    lines: name =>
      text(name)
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== ''),
    addProblem: (input, message) => void problems.push(`${input} ${message}`),
  }
}

/** YAML's booleans, in any case. */
export function readBoolean(read: Reader, name: keyof typeof inputDefaults): boolean {
  return readChoice(read, name, ['true', 'false']) === 'true'
}

/** One of the choices, in any case. */
export function readChoice<const Choice extends string>(
  read: Reader,
  name: keyof typeof inputDefaults,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = withDefault(read, name).toLowerCase()
  const choice = choices.find(allowed => allowed === text)
  if (choice === undefined) read.addProblem(name, `is ${quote(text)}; it must be ${choices.join(' or ')}.`)
  return choice ?? choices[0]
}

/** The input's text, or its default when it was left out or is blank. */
export function withDefault(read: Reader, name: keyof typeof inputDefaults): string {
  return read.text(name) || inputDefaults[name]
}

/** Whether what is sent there cannot be read on the way: https, or http that never leaves this machine. */
export function isSafeTransport(url: URL): boolean {
  const { protocol, hostname } = url
  const loopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  return protocol === 'https:' || (protocol === 'http:' && loopback)
}
