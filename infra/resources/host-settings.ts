import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings } from '../settings/stack-settings.ts'
import { type HandlerValues, handlerSettingsOf } from './handler-settings.ts'

/** Returns the settings of a handler on a host by name, as JSON. Secret. */
export function hostSettings(
  settings: SignInSettings,
  values: HandlerValues<pulumi.Input<string>>,
): pulumi.Output<string> {
  const known = pulumi.output(values)
  return pulumi.secret(known.apply(texts => JSON.stringify(handlerSettingsOf(settings, texts))))
}
