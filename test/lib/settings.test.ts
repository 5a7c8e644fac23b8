import { describe, expect, it } from 'vitest'
import { parseCidr } from '../../lib/ip-address.ts'
import {
  boolean,
  choice,
  day,
  hexId,
  list,
  optional,
  parseGuid,
  port,
  type Reader,
  readDuration,
  readRecordTypes,
  secretUrl,
  textLike,
} from '../../lib/settings/readers.ts'
import { readTable, type Table } from '../../lib/settings/table.ts'

const table = {
  'zone-id': { read: hexId('the overview page of the zone'), fix: 'Copy it from there.' },
  proxied: { read: optional(boolean) },
  LIST_SIZE: {
    read: (text, { limit }) =>
      Number(text) <= limit ? { value: Number(text) } : { problems: ['is too big.'] },
    field: 'size',
    default: '2',
  },
  TWICE: { read: (_, { size = Number.NaN }) => ({ value: 2 * size }) },
  API_TOKEN: { read: text => ({ value: text }), secret: true },
  DATABASE: {},
} as const satisfies Table<{ readonly limit: number; readonly size?: number }>

const read = (given: Readonly<Record<string, unknown>>) =>
  readTable(
    table,
    { 'zone-id': 'A'.repeat(32), ...given },
    { context: { limit: 5 }, nameOf: name => `--${name}` },
  )

describe('a table of settings', () => {
  it('is read in its order, by field, from texts and the JSON of bindings', () => {
    const defaults = { zoneId: 'a'.repeat(32), proxied: null, size: 2, twice: 4, apiToken: '' }
    expect(read({})).toEqual({ value: defaults })
    expect(read({ proxied: true, LIST_SIZE: 3, API_TOKEN: ' x\n', OTHER: {}, DATABASE: {} })).toEqual({
      value: { ...defaults, proxied: true, size: 3, twice: 6, apiToken: 'x' },
    })
  })

  it('names every problem at once, and shows nothing with the shape of a token', () => {
    expect(
      read({ 'zone-id': 'x'.repeat(40), proxied: {}, LIST_SIZE: '9', API_TOKENS: 'x', LIST_SIZ: '1' }),
    ).toEqual({
      problems: [
        '--zone-id is "***". Use the 32 hex digits from the overview page of the zone.',
        '--proxied is not a text. Set one.',
        '--LIST_SIZE is too big.',
      ],
    })
    expect(read({ 'zone-id': ' ', LIST_SIZ: '1', DATABAS: 'a text', DATABASES: {} })).toEqual({
      problems: [
        '--zone-id is missing. Copy it from there.',
        'LIST_SIZ is not a setting, and LIST_SIZE is not set. Use LIST_SIZE.',
        'DATABASES is not a setting, and DATABASE is not set. Use DATABASE.',
      ],
    })
  })
})

describe('a shared reader', () => {
  const minute: Reader<number> = text =>
    readDuration(text, { minMs: 1000, maxMs: 60_000, range: '1s to 1m, such as 5s' })
  const ranges = list(parseCidr, { max: 2, keyOf: ({ text }) => text })

  it.each<[Reader<unknown>, string, unknown]>([
    [boolean, 'TRUE', true],
    [choice('warn', 'repair'), 'Warn', 'warn'],
    [minute, '1500ms', 1500],
    [minute, '1m', 60_000],
    [port, '65535', 65_535],
    [day, '2028-02-29', Date.parse('2028-02-29')],
    [readRecordTypes, 'aaaa, A', ['AAAA', 'A']],
    [list(parseGuid), '9F3C2D1E-0000-4000-8000-000000000001', ['9f3c2d1e-0000-4000-8000-000000000001']],
    [list(text => ({ value: text })), ' a,,b\nc ', ['a', 'b', 'c']],
    [secretUrl, 'https://monitor.example/x', 'https://monitor.example/x'],
  ])('%o takes %j', (reader, text, value) => {
    expect(reader(text)).toEqual({ value })
  })

  it.each<[Reader<unknown>, string, string]>([
    [choice('a', 'b', 'c'), 'x', 'is "x". Use a, b or c.'],
    [minute, '61s', 'is "61s". Use a time from 1s to 1m, such as 5s.'],
    [minute, '5', 'is "5". Use a time from'],
    [port, '65536', 'is "65536". Use a number from 0 to 65535.'],
    [day, '2027-02-29', 'is "2027-02-29". Use a day such as 2027-01-31.'],
    [readRecordTypes, 'A,A', 'is "A,A". Use A, AAAA, or A,AAAA.'],
    [hexId('the list'), '0'.repeat(31), 'Use the 32 hex digits from the list.'],
    [textLike(/^\w+$/, 'Use one word'), 'a ::b::', 'is "a :\\u003ab:\\u003a". Use one word.'],
    [ranges, '10.0.0.0', 'has "10.0.0.0", which is not an IPv4 range. For one address, write 10.0.0.0/32.'],
    [ranges, '10.0.0.0/8 10.0.0.0/8', 'lists 10.0.0.0/8 twice. Remove one of them.'],
    [ranges, '::/1 ::/2 ::/3', 'lists 3 entries. The limit is 2.'],
    [secretUrl, 'https://a:b@monitor.example/x', 'is not one https URL of at most 8 KiB'],
    [secretUrl, `https://monitor.example/${'x'.repeat(8192)}`, 'is not one https URL of at most 8 KiB'],
  ])('%o refuses %j', (reader, text, problem) => {
    expect(reader(text)).toEqual({ problems: [expect.stringContaining(problem)] })
  })
})
