import { readExpectedCidrs } from '../action/inputs/addresses.ts'
import { readBaseUrl, readToken } from '../action/inputs/services.ts'
import { notifyFormats } from '../action/notify.ts'
import type { Problem } from '../action/problem.ts'
import { tokenLink } from '../action/records/record.ts'
import { cloudflareUrl } from '../lib/cloudflare.ts'
import type { FullReading } from '../lib/reading.ts'
import {
  anyText,
  boolean,
  choice,
  hexId,
  list,
  optional,
  port,
  refuse,
  secretUrl,
} from '../lib/settings/readers.ts'
import {
  type Environment,
  type Row,
  readTable,
  rowsOf,
  type ValuesOf,
  variableOf,
} from '../lib/settings/table.ts'
import { parseTrustedProxy } from '../lib/trusted-proxies.ts'
import { type Host, readHosts } from './hosts.ts'

/** Values that the readers of later rows need. One is missing if its own row was refused. */
interface Earlier {
  readonly hosts?: readonly Host[]
}

/** A setting of the endpoint. */
export interface PushRow extends Row<Earlier> {
  /** What to do about a problem of a record that the setting can solve. */
  readonly advice?: string
  /** The only entry that has it, if not both. */
  readonly only?: 'node'
}

/**
 * Every setting: an environment variable on Node, a binding of the Worker. One whose name is that of an input of the action
 * means the same. `npm run format` writes the rows and their comments into docs/router-reference.md.
 */
export const table = {
  /** a [token](../README.md#create-a-token) with DNS edit on this zone only */
  API_TOKEN: {
    read: readToken,
    fix: `Create a token with ${tokenLink} and select this zone only.`,
    secret: true,
  },
  /** *Zone ID* on the overview page of the zone */
  ZONE_ID: {
    read: hexId('the overview page of the zone'),
    fix: 'Copy the zone ID from the overview page of the zone.',
    advice: 'Set ZONE_ID to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
  },
  /**
   * the names and the hashes of their passwords, one name a line: `home.example.com A,AAAA sha256:…`, and for a host behind the
   * router `nas.example.com AAAA=::1:2:3:4/64 sha256:…`, with the [host part](router.md#several-hosts) of its address. `push add`
   * prints the line. At most two hashes a name, no wildcard
   */
  HOSTS: {
    read: text => {
      const reading = readHosts(text)
      return 'value' in reading ? reading : refuse(reading.problem)
    },
    fix: 'Create a line with `npm run push -- add HOSTNAME`.',
    secret: true,
  },
  /** ranges that the addresses must be in, separated by commas. Any other address is refused */
  EXPECTED_CIDR: {
    field: 'expectedCidrs',
    read: (text, { hosts = [] }) => readExpectedCidrs(text, { types: hosts.flatMap(({ types }) => types) }),
    advice: 'If your provider did, add the range to EXPECTED_CIDR.',
  },
  /**
   * a monitor, called with GET after a ping whose records are right. Only with one name in `HOSTS`: of several, a router can
   * ping some only, and the monitor would not notice which of them is silent
   */
  HEARTBEAT_URL: { read: optional(readHeartbeatUrl), secret: true },
  /** where a message goes when an address changed: https, or http on loopback */
  NOTIFY_URL: { read: optional(secretUrl), secret: true },
  /** `text`, as ntfy takes it, or `json`, as Slack and Discord take it */
  NOTIFY_FORMAT: { read: choice(...notifyFormats), default: 'text' },
  /**
   * whether the parameter `password` is accepted. Only for clients without HTTP Basic, since logs can keep it: Cloudflare’s
   * own has the query of each request, unless you deploy with `wrangler.toml` or Pulumi, or turned its *Invocation logs* off
   */
  QUERY_PASSWORDS: { read: boolean, default: 'false' },
  /** whether passwords are accepted over http, where everybody on the way can read them */
  PLAIN_HTTP: { read: boolean, default: 'false' },
  /** the root of the DNS API */
  BASE_URL: { read: readBaseUrl, default: cloudflareUrl, advice: 'Check BASE_URL.' },
  /**
   * addresses or ranges of the proxies in front, separated by commas, such as `127.0.0.1`. Their `X-Forwarded-For` and
   * `X-Forwarded-Proto` are believed
   */
  TRUSTED_PROXIES: { read: list(parseTrustedProxy), only: 'node' },
  /** the address to listen on. Let a proxy in front handle TLS */
  HOST: { read: anyText, default: '127.0.0.1', only: 'node' },
  /** the port to listen on. The sign-in handler’s default is the same: on one machine, change one of them */
  PORT: { read: port, default: '8080', only: 'node' },
} as const satisfies Readonly<Record<string, PushRow>>

/** Every row with its name, without the exact types. */
export const rows: readonly (readonly [string, PushRow])[] = rowsOf(table)

/** The endpoint's validated settings. */
export type PushSettings = ValuesOf<typeof table>

/** Returns a problem of a record in the words of the endpoint, safe to print. */
export function wordProblem({ message, setting }: Problem): string {
  const advice = setting && rows.find(([name]) => name === variableOf(setting))?.[1].advice
  return advice === undefined ? message : `${message} ${advice}`
}

/** Reads every setting: environment variables of a process, or bindings of a Worker. */
export function readSettings(given: Environment): FullReading<PushSettings> {
  return readTable(table, given)
}

/** Reads the URL of the monitor. A ping can name some of several names only. */
function readHeartbeatUrl(text: string, { hosts = [] }: Earlier) {
  if (hosts.length <= 1) return secretUrl(text)
  return refuse(
    `is for one name, and HOSTS has ${hosts.length}: the monitor would not notice that one of them is silent. Remove it, or serve one name.`,
  )
}
