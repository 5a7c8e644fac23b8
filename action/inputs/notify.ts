import { type Notify, notifyFormats } from '../notify.ts'
import { type Reader, readChoice } from './reader.ts'
import { readSecretUrl } from './secret-url.ts'

/** Reads `notify-url` and `notify-format`; null without a URL. */
export function readNotify(read: Reader): Notify | null {
  const url = readSecretUrl(read, 'notify-url')
  const format = readChoice(read, 'notify-format', notifyFormats)
  return url === null ? null : { url, format }
}
