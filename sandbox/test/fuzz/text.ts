import type { Random } from '../../testing/random.ts'

/** Returns random text made of pieces that often break parsers. */
export function stumblingText(random: Random, maxPieces: number): string {
  return Array.from({ length: random.below(maxPieces + 1) }, () => random.pick(pieces)).join('')
}

const pieces = [
  'a',
  'Z',
  '0',
  '-1',
  '.',
  '..',
  '/',
  '%',
  '%zz',
  '%00',
  '%2f',
  '?',
  '&',
  '=',
  '+',
  '"',
  "'",
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  'null',
  'true',
  '1e999',
  '9'.repeat(20),
  '*',
  '@',
  'xn--',
  'é',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
]
