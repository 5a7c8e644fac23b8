import type { RoundOptions } from '../../action/round.ts'

/** Creates what a round of a test can use: no addresses of this host, no name servers, and no memory. */
export function roundOptions(options: Partial<RoundOptions> = {}): RoundOptions {
  return {
    interfaces: () => ({}),
    dns: () => ({
      ask: async () => ({ problem: 'this test has no name servers' }),
      isResolver: async () => false,
      addressesOf: async () => ({ value: [] }),
      nameServersOf: async () => ({ value: [] }),
    }),
    zones: new Map(),
    writes: new Map(),
    ...options,
  }
}
