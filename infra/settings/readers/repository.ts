import type { FullReading } from '../../../lib/reading.ts'
import { textLike } from '../../../lib/settings/readers.ts'

/** An owner that an enterprise manages has a name with an underscore. */
const readName = textLike(/^[A-Za-z0-9_-]{1,39}\/[A-Za-z0-9._-]{1,100}$/, 'Use the form owner/name')

/** Reads `owner/name` of a repository. */
export function readRepository(
  text: string,
): FullReading<{ readonly owner: string; readonly repository: string }> {
  const reading = readName(text)
  if ('problems' in reading) return reading
  const [owner = '', repository = ''] = reading.value.split('/')
  return { value: { owner, repository } }
}
