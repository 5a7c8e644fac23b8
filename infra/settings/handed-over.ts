import type { RecordSettings } from './stack-settings.ts'

/** Names in GitHub that the scheduled workflow reads. */
export const handedOver = {
  token: 'CLOUDFLARE_DNS_TOKEN',
  zoneId: 'HOMEPORT_ZONE_ID',
  hostname: 'HOMEPORT_HOSTNAME',
  recordType: 'HOMEPORT_RECORD_TYPE',
} as const

/** Returns the variables that the scheduled workflow reads, by name. It takes one hostname a line. */
export function handedOverVariables(
  zoneId: string,
  { plans }: RecordSettings,
): Readonly<Record<string, string>> {
  return {
    [handedOver.zoneId]: zoneId,
    [handedOver.hostname]: [...new Set(plans.map(({ name }) => name))].join('\n'),
    [handedOver.recordType]: [...new Set(plans.map(({ type }) => type))].join(','),
  }
}

/** Returns the logical name of a variable. @param component name of the component that declares it */
export const variableNameOf = (component: string, variable: string): string =>
  `${component}-${variable.toLowerCase().replaceAll('_', '-')}`
