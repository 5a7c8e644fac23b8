/** Names that the scheduled workflow reads. */
export const handedOver = {
  token: 'CLOUDFLARE_DNS_TOKEN',
  zoneId: 'HOMEPORT_ZONE_ID',
  hostname: 'HOMEPORT_HOSTNAME',
} as const
