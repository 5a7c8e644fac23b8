import type { RecordType } from '../../lib/record-type.ts'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import type { Sequence } from '../support/sequence.ts'
import { drawAddress, type EventKind, type Setup } from './scenario.ts'
import type { Zone } from './zone.ts'

/** Returns a person who edits this zone. */
export function editorOf(zone: Zone, setup: Setup) {
  const slots = setup.names.flatMap(name => setup.types.map(type => ({ name, type })))
  const recordsOf = (slot: { readonly name: string; readonly type: string }) =>
    zone.records.filter(({ name, type }) => name === slot.name && type === slot.type)
  const editFields = (record: DnsRecord, details: Sequence) => {
    const changes: readonly Partial<DnsRecord>[] = [
      { ttl: 300 },
      { proxied: !record.proxied, ttl: record.proxied ? 120 : 1 },
      { comment: `note ${details.below(1000)}` },
      { tags: ['owner:me', `n:${details.below(10)}`] },
      { settings: { ipv4_only: details.chance(50) } },
      { private_routing: details.chance(50) },
    ]
    zone.edit(record.id, details.pick(changes))
  }
  return {
    /** Fills the zone: each managed record, and others at the same and at other names. */
    furnish(contentOf: (type: RecordType) => string): void {
      for (const { name, type } of slots)
        zone.add({ name, type, content: contentOf(type), proxied: setup.proxied ?? true })
      zone.add({ name: 'home.example.com', type: 'TXT', content: '"v=spf1 -all"' })
      zone.add({ name: 'example.com', type: 'MX', content: 'mail.example.com' })
      zone.add({ name: 'x.home.example.com', type: 'A', content: '84.7.7.7' })
      zone.add({ name: '*.example.com', type: 'A', content: '84.8.8.8' })
    },

    /** Makes a change. Returns whether only a person can undo it. */
    edit(kind: EventKind, details: Sequence): boolean {
      const slot = details.pick(slots)
      const [record] = recordsOf(slot)
      switch (kind) {
        case 'content-edited':
          if (record) zone.edit(record.id, { content: drawAddress(details, slot.type, 'home') })
          return false
        case 'fields-edited':
          if (record) editFields(record, details)
          return false
        case 'record-deleted':
          if (record) zone.remove(record.id)
          return true
        case 'record-doubled':
          zone.add({ ...slot, content: drawAddress(details, slot.type, 'home') })
          return true
        case 'record-becomes-cname':
          for (const { id } of zone.records.filter(({ name }) => name === slot.name)) zone.remove(id)
          zone.add({ name: slot.name, type: 'CNAME', content: 'elsewhere.example.net' })
          return true
        case 'record-read-only':
          // Or the person adds NS records above it, which hide it.
          if (record)
            zone.edit(record.id, {
              meta: details.chance(50) ? { read_only: true } : { shadowed_by: ['f'.repeat(32)] },
            })
          return true
        case 'bystander-edited':
          if (details.chance(50))
            zone.add({ name: `n${details.below(5)}.example.com`, type: 'TXT', content: '"new"' })
          else for (const { id } of zone.records.filter(({ type }) => type === 'TXT')) zone.remove(id)
          return false
        default:
          throw new Error(`${kind} is not an edit.`)
      }
    },

    /** Restores one plain record at each managed name, unless Homeport creates it. */
    repair(contentOf: (type: RecordType) => string): void {
      for (const slot of slots) {
        for (const record of zone.records) {
          if (record.name === slot.name && record.type === 'CNAME') zone.remove(record.id)
        }
        const [kept, ...others] = recordsOf(slot)
        for (const { id } of others) zone.remove(id)
        if (kept) zone.edit(kept.id, { meta: {} })
        if (!kept && !setup.create) zone.add({ ...slot, content: contentOf(slot.type) })
      }
    },
  }
}
