import { quote } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { readSecretFile } from '../../lib/secret-file.ts'
import { setting } from '../setting-names.ts'
import { maxSecretBytes, readToken } from './services.ts'

/**
 * Reads the token again from its file, which a rotation replaces. A problem is a sentence.
 */
export function readTokenFile(file: string): Reading<string, string> {
  const text = readSecretFile(file, maxSecretBytes)
  if ('problem' in text) return { problem: `The token file ${quote(file)} ${text.problem}` }
  const token = readToken(text.value)
  return 'value' in token ? token : { problem: `${setting('api-token')} ${token.problems[0]}` }
}
