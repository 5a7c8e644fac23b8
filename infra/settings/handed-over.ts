import { handedOver } from '../stack-facts.ts'
import type { RecordSettings } from './stack-settings.ts'

/** Returns the variables that the scheduled workflow reads, by name. It takes one hostname a line. */
export function handedOverVariables({
  zoneId,
  plans,
}: Pick<RecordSettings, 'zoneId' | 'plans'>): Readonly<Record<string, string>> {
  return {
    [handedOver.zoneId]: zoneId,
    [handedOver.hostname]: [...new Set(plans.map(({ name }) => name))].join('\n'),
    [handedOver.recordType]: [...new Set(plans.map(({ type }) => type))].join(','),
  }
}

/** Returns the logical name of a variable. @param component name of the component that declares it */
export const variableNameOf = (component: string, variable: string): string =>
  `${component}-${variable.toLowerCase().replaceAll('_', '-')}`
