/** Returns a message of the action, which names its inputs, with the names of the endpoint's settings. */
export function inSettings(message: string): string {
  return message
    .replace(/ If the record is for an internal network, .*/, '')
    .replace(/ If this happens again, raise timeout\./i, '')
    .replace('; to check it now, start one by hand', '')
    .replaceAll('next run', 'next ping')
    .replace(', or set create to true', '')
    .replaceAll(/\b(api-token|base-url|expected-cidr|zone-id)\b/g, name =>
      name.toUpperCase().replace('-', '_'),
    )
}
