import { styleText } from 'node:util'
import { connectionsOf } from './connections.ts'
import type { SandboxDescription } from './description.ts'

type Style = Parameters<typeof styleText>[0]

/** Quotes a word for a POSIX shell. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

const hostnameOf = ({ cloudflare }: SandboxDescription): string => `home.${cloudflare.zoneName}`

/** Returns a command that lists the initial record. */
function curlLine(description: SandboxDescription): string {
  const { apiUrl, zoneId, dnsToken } = description.cloudflare
  const url = `${apiUrl}/zones/${zoneId}/dns_records?name=${hostnameOf(description)}`
  return `curl -s -H ${quote(`Authorization: Bearer ${dnsToken}`)} ${quote(url)}`
}

/** Returns a command that queries the initial record from the name server. */
function digLine(description: SandboxDescription): string {
  const { host, port } = description.nameServer
  return `dig @${host} -p ${port} ${hostnameOf(description)} A +short`
}

/** Returns a command that runs the action once, in the root of the repository. */
function actionLines(description: SandboxDescription): string {
  const { baseUrl, zoneId, dnsToken } = description.cloudflare
  return [
    `env ${quote(`INPUT_API-TOKEN=${dnsToken}`)} \\`,
    `  ${quote(`INPUT_ZONE-ID=${zoneId}`)} \\`,
    `  ${quote(`INPUT_HOSTNAME=${hostnameOf(description)}`)} \\`,
    `  ${quote(`INPUT_ADDRESS-SOURCES=${description.echo.join('\n')}`)} \\`,
    `  ${quote(`INPUT_BASE-URL=${baseUrl}`)} \\`,
    `  'INPUT_ALLOW-RESERVED-ADDRESS=true' GITHUB_ACTIONS=true RUNNER_ENVIRONMENT=self-hosted \\`,
    // Not npx, because its shell drops variables with hyphens in their names.
    '  node_modules/.bin/node action/dist/index.js',
  ].join('\n')
}

/** Wider than every name. */
const nameWidth = 17

/**
 * Returns the overview that the command prints after its start.
 * @param coloured whether the terminal supports colours
 */
export function welcome(description: SandboxDescription, coloured: boolean): string {
  const { control } = description
  const styled = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const heading = (text: string) => `\n${styled('bold', text)}`
  const row = (name: string, value: string, note = '') =>
    `  ${name.padEnd(nameWidth)}${styled('cyan', value)}${note === '' ? '' : `  ${styled('dim', note)}`}`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    styled(
      'bold',
      'The Homeport sandbox is running: emulators of the services that Homeport calls, on this machine only.',
    ),
    ...connectionsOf(description).flatMap(({ title, rows, note }) => [
      heading(title),
      ...(note === '' ? [] : [`  ${styled('dim', note)}`]),
      ...rows.map(([name, value, about]) => row(name, value, about)),
    ]),
    heading('List the record'),
    `  ${curlLine(description)}`,
    heading('Query the name server'),
    `  ${digLine(description)}`,
    heading('Change the address of the echoes'),
    `  curl -s -X PUT ${json} -d '{"address":"203.0.113.7"}' ${control}/echo`,
    heading('Run the action once'),
    actionLines(description).replace(/^(?!http)/gm, '  '),
    heading('Show the requests'),
    `  curl -s ${control}/journal`,
    `\n${styled('dim', 'Press Ctrl-C to stop. No data is kept.')}`,
  ]
  return `${lines.join('\n')}\n`
}
