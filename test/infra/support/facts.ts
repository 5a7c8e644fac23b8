import { expect } from 'vitest'

/**
 * A line: its facts in this order, with … for the prose around them, such as the noun, the field, both values and the command.
 * Only one line of a kind is a pattern, of its whole text with its advice.
 */
export type Line = string | RegExp

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const factsOf = (line: string) => new RegExp(line.split(/ ?… ?/).map(escaped).join('.*'))

/** Returns what matches texts of these lines, in their order. */
export const matching = (expected: readonly Line[]) =>
  expected.map(line => expect.stringMatching(typeof line === 'string' ? factsOf(line) : line))
