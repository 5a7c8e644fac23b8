import type { RecordRules } from '../records/record.ts'
import { quote } from '../text/quote.ts'
import { type Reader, readBoolean, readChoice } from './reader.ts'

/** Reads `ttl`, `proxied`, `on-drift` and `create`. */
export function readRecordRules(read: Reader): RecordRules {
  return {
    ttl: readTtl(read),
    proxied: readBoolean(read, 'proxied'),
    onDrift: readChoice(read, 'on-drift', ['warn', 'repair']),
    create: readBoolean(read, 'create'),
  }
}

/** 60 to 86,400 seconds, from 30 on the Enterprise plan, or 1 for automatic (source: the DNS service's API reference). */
function readTtl(read: Reader): number {
  const text = read.text('ttl')
  const ttl = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (ttl !== 1 && (ttl < 30 || ttl > 86_400)) {
    read.addProblem(
      'ttl',
      `is ${quote(text)}. Use 60 to 86400 seconds (from 30 on Enterprise plans), or 1 for automatic.`,
    )
  }
  return ttl
}
