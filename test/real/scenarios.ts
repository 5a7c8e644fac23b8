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
const mx = { type: 'MX', content: 'mail.example.com', priority: 10 }
const six = ['--record-type', 'AAAA']
const create = ['--create']
const repair = ['--on-drift', 'repair']

/** @param more than records and flags */
const row = (
  name: string,
  given: readonly GivenRecord[] = [],
  flags: readonly string[] = [],
  more: Partial<Scenario> = {},
): Scenario => ({ name, given, flags, ...more })

/** What the updater does that depends on answers of the service. */
export const scenarios: readonly Scenario[] = [
  row('changed, then unchanged', [a(before)], [], { runs: 2 }),
  row('a comment is kept', [a(before, { comment: 'the door' })]),
  row('a comment of 100 characters is kept', [a(before, { comment: 'é'.repeat(100) })]),
  row('tags are kept', [a(before, { tags: ['owner:home'] })]),
  row('a ttl of 300 becomes 120', [a(before, { ttl: 300 })]),
  row('only the ttl differs, with repair', [a(after, { ttl: 300 })], repair),
  row('an automatic ttl', [a(before)], ['--ttl', '1']),
  row('a ttl below the minimum of most plans', [a(before)], ['--ttl', '30']),
  row('a proxied record is no longer proxied', [a(before, { proxied: true })], ['--proxied=false']),
  row('only proxied differs, with repair', [a(after, { proxied: true })], [...repair, '--proxied=false']),
  row('proxied is asked for', [a(before)], ['--proxied']),
  row('two records', [a(before), a('192.0.2.11')]),
  row('a CNAME', [{ type: 'CNAME', content: 'example.com' }]),
  row('TXT and MX beside it', [a(before), { type: 'TXT', content: '"a b"' }, mx]),
  row('NS records hide it', [a(before), { type: 'NS', content: 'ns1.example.com' }]),
  row('no record'),
  row('no record, with create', [], create),
  row('no AAAA record beside an A record, with create', [a(before)], [...six, ...create]),
  row('AAAA in another spelling', [aaaa('2001:0DB8:0:0::7')], six),
  row('A and AAAA changed', [a(before), aaaa('2001:db8::1')], ['--record-type', 'A,AAAA']),
  row('a name in Unicode', [a(before, { at: 'büro' })], [], { at: ['büro'] }),
  row('a wildcard', [a(before, { at: '*.wild' })], [], { at: ['*.wild'] }),
  row('a name outside the zone', [], [], { at: ['home.example.net.'] }),
  row('a wrong zone', [a(before)], [], { zone: 'wrong' }),
  row('a token that does not exist', [a(before)], [], { token: 'unknown' }),
  row('a malformed token', [a(before)], [], { token: 'malformed' }),
  row('the zone is found by the name', [a(before)], [], { zone: 'none' }),
  row('a token that may not list zones has to find it', [a(before)], [], { zone: 'none', token: 'narrow' }),
  row('a token that may not list zones has the zone', [a(before)], [], { token: 'narrow' }),
]
