import { quote } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { readSecretFile } from '../../lib/secret-file.ts'
import { createReader, type Given, maxSecretBytes } from './reader.ts'
import { readToken } from './services.ts'

/**
 * Reads the token again from its file, which a rotation replaces. A problem is a sentence.
 */
export function readTokenFile(given: Given, file: string): Reading<string, string> {
  const text = readSecretFile(file, maxSecretBytes)
  if ('problem' in text) return { problem: `The token file ${quote(file)} ${text.problem}` }
  const problems: string[] = []
  const token = readToken(createReader({ ...given, text: () => text.value }, problems), null)
  const [problem] = problems
  return problem === undefined ? { value: token } : { problem }
}
