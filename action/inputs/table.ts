import { cloudflareUrl } from '../../lib/cloudflare.ts'
import { boolean, choice, optional, readDuration, secretUrl } from '../../lib/settings/readers.ts'
import type { Row } from '../../lib/settings/table.ts'
import { notifyFormats } from '../notify.ts'
import { readExpectedCidrs, readGiven, readSources, readSuffixes, readTypes } from './addresses.ts'
import { readServers, readTargets, readTtl, readZoneId } from './records.ts'
import { readBaseUrl, readGivenToken } from './services.ts'

/** An input. Its comment is its description in action.yml and on the page. A secret has no flag: every user of the host sees a command line. */
interface Input extends Row {
  /** GitHub is told that a workflow has to set it. */
  readonly required?: true
  /** What its flag takes, if its name does not say it; empty if it needs no value. */
  readonly value?: string
}

/** Returns the parts of a row whose value is one of a few words. */
function oneOf<const Choice extends string>(...choices: readonly Choice[]) {
  return { read: choice(...choices), value: choices.join('|') }
}

const off = { read: boolean, default: 'false', value: '' } as const
const timeoutLimits = { minMs: 1000, maxMs: 15 * 60 * 1000, range: '1s to 15m, such as 60s' }

/**
 * Every input, in the order in which they are read: the reader of a row can need the values above it. `npm run format` writes
 * action.yml and the table of the page from it.
 */
export const table = {
  /**
   * API token from the template *Edit zone DNS*, limited to one zone. Pass it from a secret. Global API keys are
   * refused. It is masked, and sent to `base-url` only.
   */
  'api-token': {
    field: 'token',
    read: readGivenToken,
    required: true,
    secret: true,
  },
  /**
   * The 32 hex digits shown as *Zone ID* on the overview page of the zone. If it is empty, the action finds the zone
   * by the name, from the longest suffix of `hostname` down to two labels, with one request each. If the token may
   * not do that, the run fails and asks for `zone-id`.
   */
  'zone-id': { read: optional(readZoneId), help: 'if the token may not list zones' },
  /**
   * Fully qualified name of the record, such as `home.example.com`. Unicode names and `*.example.com` work too. For
   * several names (up to 50), write one per line; add a space and a zone ID to override `zone-id`.
   */
  hostname: {
    field: 'targets',
    read: readTargets,
    required: true,
    value: 'NAME[ ZONE-ID]',
    help: 'such as home.example.com',
  },
  /** Which records to keep: `A`, `AAAA`, or `A,AAAA` for both in one run. */
  'record-type': {
    field: 'types',
    read: readTypes,
    default: 'A',
    value: 'A|AAAA|A,AAAA',
    help: 'which records to keep',
  },
  /**
   * Your provider's ranges, one per line, such as `198.51.100.0/24` or `2001:db8::/32`. With both record types, list
   * both families. Any other address is refused. Default: any public address outside Cloudflare's proxy.
   */
  'expected-cidr': {
    field: 'expectedCidrs',
    read: readExpectedCidrs,
    value: 'RANGE',
    help: 'refuse addresses outside these ranges',
  },
  /** Set to `true` to allow private and other special-purpose addresses, for names inside a network. */
  'allow-reserved-address': { ...off, field: 'allowReserved', help: 'allow private addresses' },
  /**
   * The address, if the caller knows it. With `record-type: A,AAAA`, one of each family, one per line. If it is
   * empty, the action asks the address sources.
   */
  address: { field: 'givenAddresses', read: readGiven, help: 'the address, if you know it' },
  /**
   * Where to learn the address, one source per line, at most ten. An https URL is an echo service that returns the
   * address of this host. `dns:NAME` takes the address of another hostname. `interface:NAME` takes the public
   * address of an interface of this host. Default for A: `https://api4.ipify.org`, `https://checkip.amazonaws.com`
   * and `https://ipv4.icanhazip.com`; for AAAA: `https://api6.ipify.org`, `https://checkipv6.dedyn.io` and
   * `https://ipv6.icanhazip.com`. On a GitHub-hosted runner, echo services and interfaces are refused, because they
   * would give an address of GitHub's.
   */
  'address-sources': {
    field: 'sources',
    read: readSources,
    value: 'SOURCE',
    help: 'echo URL, dns:NAME or interface:NAME',
  },
  /**
   * Host part of the AAAA records and the length of the prefix before it, such as `::1:2:3:4/64`. Write one for all
   * hostnames, or a hostname and its host part per line. The address sources then only need to agree on the prefix.
   */
  'ipv6-suffix': {
    field: 'suffixes',
    read: readSuffixes,
    value: '[NAME ]SUFFIX',
    help: 'host part, as in ::1/64',
  },
  /**
   * Time to live in seconds, written with every change: 60 to 86400 (from 30 on Enterprise plans), or 1 for
   * automatic.
   */
  ttl: { read: readTtl, default: '120', help: '60 to 86400, or 1 for automatic' },
  /**
   * Whether traffic is routed through Cloudflare's proxy: `true` or `false`, written with every change. If it is empty,
   * an existing record stays as it is, and a new one is not proxied. The ttl of a proxied record is always automatic.
   */
  proxied: { read: optional(boolean), value: '', help: 'by Cloudflare; without it, as it is' },
  /**
   * What to do if the address is correct, but not the ttl or a `proxied` that is set. `warn` leaves the record alone,
   * `repair` writes it.
   */
  'on-drift': { ...oneOf('warn', 'repair'), default: 'warn', help: 'if only ttl or --proxied differs' },
  /**
   * Set to `true` to create the record if the name has none of its type. If it is `false`, a missing record is an
   * error, because it is usually a typo.
   */
  create: { ...off, help: 'create a missing record' },
  /** Set to `true` to report what would change, without writing. */
  'dry-run': { ...off, help: 'write nothing' },
  /**
   * How to confirm a record. `response` checks the response of Cloudflare. `dns` also asks every authoritative name
   * server of the zone, and waits until all of them serve the record or the timeout is near.
   */
  verify: { ...oneOf('response', 'dns'), default: 'response', help: 'dns also asks the name servers' },
  /**
   * Name servers to ask with `verify: dns`, as `host` or `host:port`, one per line. Default: those that the DNS
   * lists for the zone. If your network has a zone of its own for the name, list those of Cloudflare.
   */
  'name-servers': { field: 'servers', read: readServers, value: 'HOST[:PORT]', help: 'for --verify dns' },
  /**
   * Root of the DNS API, with or without `/client/v4`. It must be https, or http on loopback, because the token is
   * sent there.
   */
  'base-url': { read: readBaseUrl, default: cloudflareUrl, value: 'URL', help: 'root of the DNS API' },
  /**
   * Deadline of one check, from `1s` to `15m`; with `--watch`, of each round. It includes all requests, retries and
   * waits. One request gets at most a fifth of it, and never more than ten seconds. With `heartbeat-url` or
   * `notify-url`, a sixth of it, at most ten seconds, is kept for them.
   */
  timeout: {
    field: 'timeoutMs',
    read: (text: string) => readDuration(text, timeoutLimits),
    default: '60s',
    value: 'DURATION',
    help: 'limit of one check',
  },
  /**
   * URL of a monitor to notify of each round. Pass it from a secret; the action masks it. It gets GET at the URL
   * plus `/start` before the round, at the URL after success, and plus `/fail` after failure. If the URL has a query
   * or a fragment, only success is reported. A dry run sends nothing.
   */
  'heartbeat-url': { read: optional(secretUrl), secret: true },
  /**
   * URL of a messaging service to tell of changes, such as a topic of ntfy or a webhook of Slack or Discord. Pass it
   * from a secret; the action masks it. After a round that changed records, it gets one POST with the name and both
   * addresses of each. If it fails, that is a warning. A dry run sends nothing.
   */
  'notify-url': { read: optional(secretUrl), secret: true },
  /**
   * What `notify-url` takes: `text` for ntfy, or `json` for Slack and Discord, with the message as `text` and as
   * `content`.
   */
  'notify-format': {
    ...oneOf(...notifyFormats),
    default: 'text',
    help: 'of messages to HOMEPORT_NOTIFY_URL',
  },
  /**
   * Whether to mask IPv4 and IPv6 addresses in logs, annotations and the summary: `true`, `false` or `auto`. `auto`
   * masks them unless the event that started the run says that the repository is private. Outputs and messages to
   * `notify-url` always contain the address.
   */
  'mask-address': { ...oneOf('auto', 'true', 'false'), default: 'auto', help: 'redact addresses in the log' },
} as const satisfies Readonly<Record<string, Input>>

export type InputName = keyof typeof table

export const inputs: Readonly<Record<InputName, Input>> = table

/** Object.keys forgets the type of the names. */
export const inputNames = Object.keys(table) as readonly InputName[]

export const secretInputs = inputNames.filter(name => inputs[name].secret)
