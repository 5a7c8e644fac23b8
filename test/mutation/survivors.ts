import type { Survivor } from './report.ts'

const ipAddress = 'action/ip-address.ts'
const quorum = 'action/address/quorum.ts'
const write = 'action/write.ts'
const redact = 'action/text/redact.ts'
const seal = 'src/session/seal.ts'
const identity = 'src/sign-in/identity.ts'
const transaction = 'src/sign-in/transaction.ts'
const cookies = 'src/http/cookies.ts'

/** Faults that no test finds, each with the reason why none has to. `npm run test:mutation` compares them with the report. */
export const survivors: readonly Survivor[] = [
  {
    file: quorum,
    line: "if (winner !== undefined && winners.length === 1) return { kind: 'agreed', address: winner }",
    replacement: 'true',
    why: 'A single winner is never undefined; only the type checker needs the question.',
  },
  {
    file: ipAddress,
    line: "if (trimmed.length > maxIpv6Characters || trimmed.includes('%') || !isIPv6(trimmed)) return null",
    replacement: 'false',
    why: 'isIPv6 refuses every text this long as well; the limit only spares it the work.',
  },
  {
    file: ipAddress,
    line: 'const hex = address.replace(/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)$/, (_, ...octets: string[]) => {',
    replacement: '/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)/',
    why: 'isIPv6 accepts a dotted part at the end only.',
  },
  {
    file: ipAddress,
    line: "const [head = '', tail = ''] = hex.split('::')",
    replacement: '"Stryker was here!"',
    why: 'split returns at least one part; only the type checker needs the default.',
  },
  {
    file: ipAddress,
    line: "const left = head === '' ? [] : head.split(':')",
    replacement: 'false',
    why: 'An empty head would become one empty group, which is padded to the zero group that it stands for.',
  },
  {
    file: ipAddress,
    line: "const left = head === '' ? [] : head.split(':')",
    replacement: '"Stryker was here!"',
    why: 'The same as above: the comparison is then never true.',
  },
  {
    file: ipAddress,
    line: "const zeros: string[] = Array(groups - left.length - right.length).fill('0')",
    replacement: '""',
    why: 'Every group is padded with zeros to four digits.',
  },
  {
    file: write,
    line: "outcome.kind === 'limited' && !mayHaveHappened",
    replacement: 'true',
    why: 'Every other outcome sets mayHaveHappened; only the type checker needs the question.',
  },
  {
    file: write,
    line: "outcome.kind === 'unknown' || outcome.kind === 'limited' ? outcome.retryAfterMs : null",
    replacement: 'true',
    why: 'Other outcomes have no retryAfterMs: undefined is never too late, and the jitter takes its place as for null.',
  },
  {
    file: write,
    line: 'const tooLate = retryAfterMs !== null && retryAfterMs > forWaitingMs',
    replacement: 'true',
    why: 'null counts as 0 here, which is never more than the time that is left.',
  },
  {
    file: write,
    line: "return plan.kind === 'update' && record ? { ...plan, record, body: replacementOf(record, plan.body) } : plan",
    replacement: "plan.kind === 'update' || record",
    why: 'An update always has the record that was read, and a creation never has one.',
  },
  {
    file: write,
    line: "return plan.kind === 'update' && record ? { ...plan, record, body: replacementOf(record, plan.body) } : plan",
    replacement: 'true',
    why: 'A creation has no record, so the other half of the condition decides.',
  },
  {
    file: redact,
    line: 'const ipv6 = (text.match(ipv6Run) ?? []).filter(isIpv6)',
    replacement: '["Stryker was here"]',
    why: 'The filter drops what is no address.',
  },
  {
    file: redact,
    line: '.flatMap(secret => secret.split(/\\s+/))',
    replacement: '/\\s/',
    why: 'The empty words between two spaces are dropped in the next line.',
  },
  {
    file: redact,
    line: 'if (state.pieces.size === 0) return text',
    replacement: 'false',
    why: 'Without pieces nothing is found; the line only saves the work.',
  },
  {
    file: redact,
    line: 'if (start >= done) redacted += text.slice(done, start) + mask',
    replacement: 'true',
    why: 'Between two matches is a character that is no backslash, so the second never starts inside the first.',
  },
  {
    file: redact,
    line: 'for (let start = 0; start < text.length; start++) {',
    replacement: 'start <= text.length',
    why: 'No piece is empty, so none is found behind the end.',
  },
  {
    file: redact,
    line: "const base64url = base64.map(form => form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))",
    replacement: '/=+/',
    why: 'Base64 has = at its end only.',
  },
  {
    file: redact,
    line: 'const lower = text.replace(/[A-Z]+/g, letters => letters.toLowerCase())',
    replacement: '/[A-Z]/g',
    why: 'Letters become lower case one by one or together.',
  },
  {
    file: redact,
    line: "for (let place = 0; place < lower.length; place++) if (lower[place] !== '\\\\') places.push(place)",
    replacement: 'place <= lower.length',
    why: 'The place behind the end is added last and never looked at.',
  },
  {
    file: seal,
    line: 'if (dot < 1 || sealed.length > maxSealedLength) return null',
    replacement: 'false',
    why: 'Without a dot, or with nothing before it, the rest is too short or no key has the name; the line only spares the work.',
  },
  {
    file: identity,
    line: "const [username = '', ...domains] = address.split('@')",
    replacement: '"Stryker was here!"',
    why: 'split returns at least one part; only the type checker needs the default.',
  },
  {
    file: identity,
    line: 'if (allowedDomains !== null && (domain === undefined || !allowedDomains.includes(domain))) {',
    replacement: 'false',
    why: 'No list of domains includes undefined; only the type checker needs the question.',
  },
  {
    file: identity,
    line: "const [name = ''] = userPrincipalName.split('@')",
    replacement: '"Stryker was here!"',
    why: 'split returns at least one part; only the type checker needs the default.',
  },
  {
    file: transaction,
    line: 'const [, state, verifier, expires, path] = /^([\\w-]+) ([\\w-]+) ([0-9a-z]+) (.*)/s.exec(line) ?? []',
    replacement: '["Stryker was here"]',
    why: 'The first item is the whole match, which is not used.',
  },
  ...['(!state || !verifier) && !expires', '!state && !verifier', 'false'].map(replacement => ({
    file: transaction,
    line: 'if (!state || !verifier || !expires) return []',
    replacement,
    why: 'A match has all three parts and a failed one has none; only the type checker needs the three questions.',
  })),
  {
    file: cookies,
    line: "const values = (header ?? '')",
    replacement: '"Stryker was here!"',
    why: 'That text has no cookie of ours either.',
  },
]
