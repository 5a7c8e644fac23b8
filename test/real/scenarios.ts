/** A record that exists before a scenario. */
export interface GivenRecord {
  readonly type: string
  readonly content: string
  /** The label below the names of this run, `home` by default. */
  readonly at?: string
  readonly [field: string]: unknown
}

/** One run of the updater against the real service and against the double. */
export interface Scenario {
  readonly name: string
  /** Records that exist before. */
  readonly given?: readonly GivenRecord[]
  /** Labels of the hostnames below the names of this run, `home` by default. An absolute name ends in a dot. */
  readonly at?: readonly string[]
  readonly flags?: readonly string[]
  /** Which token the updater gets. `narrow` is one that may not list zones. */
  readonly token?: 'narrow' | 'unknown' | 'malformed'
  /** `none`: the updater has to find the zone. `wrong`: the ID of a zone that does not exist. */
  readonly zone?: 'none' | 'wrong'
  /** How often the updater runs, 1 by default. */
  readonly runs?: number
}

const before = '192.0.2.10'
/** The address that the updater is told. Documentation addresses lead nobody anywhere. */
export const after = '198.51.100.7'
export const after6 = '2001:db8::7'
const a = (content: string, more: object = {}): GivenRecord => ({ type: 'A', content, ...more })
const aaaa = (content: string, more: object = {}): GivenRecord => ({ type: 'AAAA', content, ...more })
const both = ['--record-type', 'A,AAAA']
const six = ['--record-type', 'AAAA']
const create = ['--create']
const repair = ['--on-drift', 'repair']

/** What the updater does that depends on answers of the service. */
export const scenarios: readonly Scenario[] = [
  { name: 'unchanged', given: [a(after)] },
  { name: 'changed', given: [a(before)] },
  { name: 'changed, then unchanged', given: [a(before)], runs: 2 },
  { name: 'a comment is kept', given: [a(before, { comment: 'the door' })] },
  { name: 'an empty comment', given: [a(before, { comment: '' })] },
  { name: 'a comment of 100 characters is kept', given: [a(before, { comment: 'é'.repeat(100) })] },
  { name: 'tags are kept', given: [a(before, { tags: ['owner:home'] })] },
  { name: 'a ttl of 300 becomes 120', given: [a(before, { ttl: 300 })] },
  { name: 'an automatic ttl becomes 120', given: [a(before, { ttl: 1 })] },
  { name: 'only the ttl differs', given: [a(after, { ttl: 300 })] },
  { name: 'only the ttl differs, with repair', given: [a(after, { ttl: 300 })], flags: repair },
  { name: 'a ttl of 60', given: [a(before)], flags: ['--ttl', '60'] },
  { name: 'a ttl of 86400', given: [a(before)], flags: ['--ttl', '86400'] },
  { name: 'an automatic ttl', given: [a(before)], flags: ['--ttl', '1'] },
  { name: 'a ttl below the minimum of most plans', given: [a(before)], flags: ['--ttl', '30'] },
  { name: 'a proxied record stays proxied', given: [a(before, { proxied: true })] },
  {
    name: 'a proxied record is no longer proxied',
    given: [a(before, { proxied: true })],
    flags: ['--proxied=false'],
  },
  {
    name: 'only proxied differs, with repair',
    given: [a(after, { proxied: true })],
    flags: [...repair, '--proxied=false'],
  },
  { name: 'proxied is asked for', given: [a(before)], flags: ['--proxied'] },
  { name: 'two records', given: [a(before), a('192.0.2.11')] },
  { name: 'a CNAME', given: [{ type: 'CNAME', content: 'example.com' }] },
  { name: 'a CNAME, with create', given: [{ type: 'CNAME', content: 'example.com' }], flags: create },
  {
    name: 'TXT and MX beside it',
    given: [
      a(before),
      { type: 'TXT', content: '"a b"' },
      { type: 'MX', content: 'mail.example.com', priority: 10 },
    ],
  },
  { name: 'NS records hide it', given: [a(before), { type: 'NS', content: 'ns1.example.com' }] },
  { name: 'no record' },
  { name: 'no record, with create', flags: create },
  { name: 'no record, with create and an automatic ttl', flags: [...create, '--ttl', '1'] },
  { name: 'no AAAA record beside an A record, with create', given: [a(before)], flags: [...six, ...create] },
  { name: 'AAAA changed', given: [aaaa('2001:db8::1')], flags: six },
  { name: 'AAAA in another spelling', given: [aaaa('2001:0DB8:0:0::7')], flags: six },
  { name: 'A and AAAA changed', given: [a(before), aaaa('2001:db8::1')], flags: both },
  { name: 'A and AAAA, one changed', given: [a(after), aaaa('2001:db8::1')], flags: both },
  {
    name: 'two names, one changed',
    given: [a(after, { at: 'one' }), a(before, { at: 'two' })],
    at: ['one', 'two'],
  },
  { name: 'two names, one missing', given: [a(before, { at: 'one' })], at: ['one', 'two'] },
  { name: 'a name in Unicode', given: [a(before, { at: 'büro' })], at: ['büro'] },
  { name: 'a name in capitals', given: [a(before, { at: 'home' })], at: ['HOME'] },
  { name: 'a wildcard', given: [a(before, { at: '*.wild' })], at: ['*.wild'] },
  { name: 'a name outside the zone', at: ['home.example.net.'] },
  { name: 'a dry run', given: [a(before)], flags: ['--dry-run'] },
  { name: 'a wrong zone', given: [a(before)], zone: 'wrong' },
  { name: 'a token that does not exist', given: [a(before)], token: 'unknown' },
  { name: 'a malformed token', given: [a(before)], token: 'malformed' },
  { name: 'the zone is found by the name', given: [a(before)], zone: 'none' },
  {
    name: 'a token that may not list zones has to find it',
    given: [a(before)],
    zone: 'none',
    token: 'narrow',
  },
  { name: 'a token that may not list zones has the zone', given: [a(before)], token: 'narrow' },
]
