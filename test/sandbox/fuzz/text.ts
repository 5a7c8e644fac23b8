import type { Random } from '../../../sandbox/testing/random.ts'

/** Pieces of text that often break parsers. */
const pieces = [
  ...'aZ0./%?&=+"\'\\{}[]:,*@é\u0000\ud800',
  ...'-1 .. %zz %00 %2f null true 1e999 99999999999999999999 xn-- __proto__ constructor'.split(' '),
]

/** Returns random text made of such pieces. */
export function stumblingText(random: Random, maxPieces: number): string {
  return Array.from({ length: random.below(maxPieces + 1) }, () => random.pick(pieces)).join('')
}

/** Returns a copy with up to `max` bytes replaced. */
export function withChangedBytes(random: Random, bytes: Uint8Array, max: number): Buffer {
  const changed = Buffer.from(bytes)
  for (let left = random.below(max) + 1; left > 0; left -= 1)
    changed[random.below(changed.length)] = random.below(256)
  return changed
}
