import { type InputName, inputDefaults, inputNames, secretInputs } from './table.ts'

/** Names the release, as package.json does. */
export const version = '0.1.0'

/** What each flag takes, if its name does not say it. */
const values: Partial<Record<InputName, string>> = {
  hostname: 'NAME[ ZONE-ID]',
  'address-sources': 'SOURCE',
  'doh-resolvers': 'URL',
  'expected-cidr': 'RANGE',
  'record-type': 'TYPES',
  'ipv6-suffix': '[NAME ]SUFFIX',
  'name-servers': 'HOST[:PORT]',
  timeout: 'DURATION',
  'base-url': 'URL',
}

/** Returns the text of `--help`: every flag with its default. docs/inputs.md says what each input means. */
export function helpText(): string {
  const flags = inputNames
    .filter(name => !secretInputs.includes(name))
    .map(name => {
      const value = inputDefaults[name] === 'false' ? '' : ` ${values[name] ?? 'VALUE'}`
      const text =
        inputDefaults[name] === '' || inputDefaults[name] === 'false' ? '' : `default: ${inputDefaults[name]}`
      return `  ${`--${name}${value}`.padEnd(34)}${text}`.trimEnd()
    })
  return `homeport ${version}: keeps DNS records pointed at the public address of this host.

Usage: homeport --api-token-file FILE --hostname NAME [--zone-id ID] [flags]

  --api-token-file FILE             file that holds the API token
  --watch DURATION                  check repeatedly, as --watch-interval does, until stopped
  --once                            check once, even if watch-interval is set
  --json                            print one JSON object per round on stdout, and the log on stderr
  --help, --version

Inputs, as in docs/inputs.md. For a list, use commas, or repeat the flag. Each is also a variable, such as
HOMEPORT_ZONE_ID, which a flag overrides.
${flags.join('\n')}

The token comes from --api-token-file, HOMEPORT_API_TOKEN or $CREDENTIALS_DIRECTORY/api-token. The exit status is 0
if every record is correct.
`
}
