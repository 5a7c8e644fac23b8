/** Seconds, as the service recommends for an address that changes. */
export const recordTtl = 120
