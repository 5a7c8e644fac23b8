import type { Survivor } from './report.ts'

const ipv6 = 'action/address/ipv6.ts'
const quorum = 'action/address/quorum.ts'

/** Faults that no test finds, each with the reason why none has to. `npm run test:mutation` compares them with the report. */
export const survivors: readonly Survivor[] = [
  {
    file: quorum,
    line: 'if (winner !== undefined && winners.length === 1) {',
    replacement: 'true',
    why: 'A single winner is never undefined; only the type checker needs the question.',
  },
  {
    file: ipv6,
    line: "if (trimmed.length > maxCharacters || trimmed.includes('%') || !isIPv6(trimmed)) return null",
    replacement: 'false',
    why: 'isIPv6 refuses every text this long as well; the limit only spares it the work.',
  },
  {
    file: ipv6,
    line: 'const hex = address.replace(/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)$/, (_, ...octets: string[]) => {',
    replacement: '/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)/',
    why: 'isIPv6 accepts a dotted part at the end only.',
  },
  {
    file: ipv6,
    line: "const [head = '', tail = ''] = hex.split('::')",
    replacement: '"Stryker was here!"',
    why: 'split returns at least one part; only the type checker needs the default.',
  },
  {
    file: ipv6,
    line: "const left = head === '' ? [] : head.split(':')",
    replacement: 'false',
    why: 'An empty head would become one empty group, which is padded to the zero group that it stands for.',
  },
  {
    file: ipv6,
    line: "const left = head === '' ? [] : head.split(':')",
    replacement: '"Stryker was here!"',
    why: 'The same as above: the comparison is then never true.',
  },
  {
    file: ipv6,
    line: "const zeros: string[] = Array(groups - left.length - right.length).fill('0')",
    replacement: '""',
    why: 'Every group is padded with zeros to four digits.',
  },
]
