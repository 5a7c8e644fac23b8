/** Refusals of the DNS service: status, code and message. */
export const refusals = {
  forbidden: [403, 10000, 'Authentication error'],
  badContent: [400, 9005, 'Content for A record must be a valid IPv4 address.'],
  noRecord: [404, 81044, 'Record does not exist.'],
} as const
