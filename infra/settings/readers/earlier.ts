import type { RecordType } from '../../../lib/record-type.ts'

/** Origins of the handler. The first is its own. */
export type Origins = readonly [URL, ...URL[]]

/** What the reader of a key can use: the accepted values of rows above it, and the time. */
export interface Earlier {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Of the handler; an empty text without one. */
  readonly basePath: string
  readonly signIn?: 'worker' | 'host' | 'none'
  readonly hostname?: readonly string[]
  readonly recordType?: readonly RecordType[]
  readonly publicOrigin?: Origins
  /** Null if it is not set. */
  readonly clock?: string | null
}
