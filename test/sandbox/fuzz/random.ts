/** A source of numbers that a seed decides, fast enough for hundreds of thousands of inputs (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 up to, but not including, `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)]
    if (choice === undefined) throw new RangeError('There is nothing to pick from.')
    return choice
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; at += 1) bytes[at] = this.below(256)
    return bytes
  }

  /** Text with everything in it that parsers stumble over. */
  text(longest: number): string {
    let text = ''
    for (let length = this.below(longest + 1); text.length < length; ) text += this.pick(pieces)
    return text
  }
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
