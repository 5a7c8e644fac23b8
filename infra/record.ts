/** Seconds; the service's own advice for an address that changes. */
export const recordTtl = 120
