import type { Problem, ProblemSetting, Reason } from '../problem.ts'

/** What a reason means, and what to do about it. Backticks mark names, as in Markdown. */
export interface Explanation {
  readonly meaning: string
  readonly fix: string
}

/** The tables of docs/inputs.md, the summary and annotations all take their sentences from here. */
export const catalogue: Readonly<Record<Reason, Explanation>> = {
  'invalid-input': {
    meaning: 'one or more inputs are wrong; nothing was sent',
    fix: 'fix each input that the message names',
  },
  'hosted-runner': {
    meaning: "an address source would give an address of GitHub's",
    fix: 'use a self-hosted runner, or set `address`',
  },
  'address-unavailable': {
    meaning: 'too few sources returned an address',
    fix: "check the host's connection; choose other sources",
  },
  'address-disagreement': {
    meaning: 'the sources see different addresses',
    fix: 'look for a VPN or a second uplink; remove a source that is wrong',
  },
  'address-not-public': {
    meaning: 'the address is private, behind carrier-grade NAT, for documentation, or otherwise reserved',
    fix: 'ask your provider for a public address; for an internal name, set `allow-reserved-address`',
  },
  'address-unexpected': {
    meaning:
      "the address is outside `expected-cidr`, or in a range of Cloudflare's proxy. Other Cloudflare addresses, such as WARP exits, are caught only by `expected-cidr`",
    fix: "add your provider's new range; look for a proxy or VPN between the host and the internet",
  },
  'token-rejected': {
    meaning: 'the token is wrong, expired or revoked, or the zone is outside its scope',
    fix: 'create a new token for this zone, and store it in place of the old one',
  },
  'zone-not-found': {
    meaning: 'Cloudflare does not know the zone, or does not show it to the token',
    fix: 'copy the zone ID from its overview page into `zone-id`',
  },
  'record-missing': {
    meaning: 'the name has no record of the type, or it was deleted during the run',
    fix: 'check the spelling of the name; create the record once, or set `create`',
  },
  'record-ambiguous': {
    meaning: 'the name has several records of the type',
    fix: 'leave exactly one; the action does not support round robin',
  },
  'record-conflict': {
    meaning: 'the name has a CNAME',
    fix: 'delete the CNAME, or use another name',
  },
  'record-read-only': {
    meaning: 'another product of Cloudflare manages the record',
    fix: 'use another name',
  },
  'write-rejected': {
    meaning: 'Cloudflare refused the write, and no earlier attempt in this run can have succeeded',
    fix: 'read its code and message in the log',
  },
  'write-unconfirmed': {
    meaning:
      'a write was sent, but the record could not be confirmed afterwards, or it lost its comment, tags, settings or private routing',
    fix: 'nothing: the next run checks again, or start one now. If the message names another record at the name, fix that first; if it names what the record lost, set that again',
  },
  'not-served': {
    meaning:
      'NS records at the name or above it hide the record; or, with `verify: dns`, a name server does not serve the record that Cloudflare confirmed, or none could be found',
    fix: 'delete the NS records that the message names, or move the name. If a server only lags, nothing: the next run checks again. Otherwise check that the domain is delegated to the name servers that the zone names, or set `name-servers`',
  },
  'proxy-rejected': {
    meaning: 'the proxy in `https_proxy` answered 407: it wants a user name and password, or other ones',
    fix: 'write them into its URL, as in `http://USER:PASSWORD@host:port`, and percent-encode special characters',
  },
  'tls-untrusted': {
    meaning:
      'this machine does not trust the certificate of a server: TLS is inspected on the way, the clock of this machine is wrong, or something else answers. The message says which',
    fix: 'set `NODE_EXTRA_CA_CERTS` or `NODE_USE_SYSTEM_CA`, or set the clock: docs/inputs.md says how',
  },
  'rate-limited': {
    meaning: "the account's rate limit was reached",
    fix: 'run less often; find what else uses the API',
  },
  'service-unavailable': {
    meaning:
      'the records could not be read: three attempts without a usable response, a response that is too long, or a wait that does not fit into `timeout`',
    fix: 'nothing: the next run tries again',
  },
  deadline: {
    meaning: '`timeout` ran out; nothing was written',
    fix: 'raise `timeout` if this happens again',
  },
  unexpected: {
    meaning: 'a malformed or incomplete response, or a Homeport bug',
    fix: 'check `base-url`; report it',
  },
}

/** Returns what a reason means and what to do, as a line without Markdown. */
export function explain(reason: Reason): string {
  const { meaning, fix } = catalogue[reason]
  return `${reason}: ${meaning}. What to do: ${fix}.`.replaceAll('`', '')
}

/** What to do about the input that a problem is about. */
const advice: Readonly<Record<ProblemSetting, string>> = {
  address: 'You can also pass the address in the input address.',
  'allow-reserved-address': 'If the record is for an internal network, set allow-reserved-address: true.',
  'base-url': 'Check base-url.',
  create: 'Or let Homeport create it: set create: true.',
  'expected-cidr': 'If your provider did, add the range to expected-cidr.',
  timeout: 'If this happens again, raise timeout.',
  'zone-id': 'Set zone-id to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
}

/** Returns a problem in the words of the action, safe to print. */
export function wordProblem({ message, setting }: Problem): string {
  return setting === undefined ? message : `${message} ${advice[setting]}`
}
