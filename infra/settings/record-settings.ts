import type { KeyReader } from './key-reader.ts'
import { type Key, keys } from './keys.ts'
import {
  isCidr,
  readChoice,
  readEnvironment,
  readExpiry,
  readMintingToken,
  readRepository,
} from './readers.ts'
import {
  type RecordPlan,
  type RecordPlans,
  type RecordType,
  readBootstrap,
  readHostnames,
  readImports,
  readRecordTypes,
  titleOf,
} from './records.ts'

/** The token that may change the records. */
export interface TokenPlan {
  readonly owner: 'user' | 'account'
  readonly rotation: string
  readonly expiresOn: string | null
  readonly allowedCidrs: readonly string[]
}

/** The environment of a repository that receives the token. */
export interface HandOver {
  readonly owner: string
  readonly repository: string
  readonly environment: string
}

/** The part `record`. */
export interface RecordSettings {
  readonly zoneId: string
  readonly plans: RecordPlans
  readonly token: TokenPlan
  /** Null if you store the token by hand. */
  readonly handOver: HandOver | null
}

/** Key for the address of new records of each type. */
const bootstrapKeys = { A: 'bootstrapAddress', AAAA: 'bootstrapAddressV6' } as const

/** Reads the keys of the part `record`. @param zoneId an empty text if it was refused */
export function readRecordSettings(reader: KeyReader, zoneId: string): RecordSettings {
  const names = reader.read('hostname', readHostnames) ?? (['home.example.com'] as const)
  const types = reader.read('recordType', readRecordTypes) ?? (['A'] as const)
  const plans = readPlans(reader, names, types)
  if (!reader.isWithheld('mintingApiToken')) reader.read('mintingApiToken', readMintingToken)
  const repository = reader.read('repository', readRepository)
  return {
    zoneId,
    plans,
    token: {
      owner: reader.read('tokenOwner', text => readChoice(text, ['user', 'account'])) ?? 'user',
      rotation: reader.textOf('tokenRotation'),
      expiresOn: reader.read('tokenExpiresOn', text => readExpiry(text, reader.now)),
      allowedCidrs: reader.readParts(
        'tokenAllowedCidrs',
        'a range such as 203.0.113.0/24, no wider than /8 (IPv6: /16)',
        isCidr,
      ),
    },
    handOver: repository && {
      ...repository,
      environment: reader.read('environment', readEnvironment) ?? '',
    },
  }
}

function readPlans(
  reader: KeyReader,
  names: readonly [string, ...string[]],
  types: readonly [RecordType, ...RecordType[]],
): RecordPlans {
  const addressOf = (type: RecordType): string => {
    const key: Key = bootstrapKeys[type]
    return reader.read(key, readBootstrap[type]) ?? keys[key] ?? ''
  }
  const addresses = new Map(types.map(type => [type, addressOf(type)]))
  const all = names.flatMap(name => types.map(type => ({ name, type })))
  const ids = reader.read('importRecordId', text => readImports(text, all.map(titleOf)))
  const [first, ...others] = all.map(
    (one): RecordPlan => ({
      ...one,
      bootstrapAddress: addresses.get(one.type) ?? '',
      importId: ids?.get(titleOf(one)) ?? null,
    }),
  )
  // A list of names is never empty, and neither is one of types.
  return [first as RecordPlan, ...others]
}
