import { styleText } from 'node:util'
import type { SandboxDescription } from '../description.ts'
import { actionLines, curlLine, digLine } from './examples.ts'

type Style = Parameters<typeof styleText>[0]

/**
 * Returns the overview that the command prints after its start.
 * @param coloured whether the terminal supports colours
 */
export function welcome(description: SandboxDescription, coloured: boolean): string {
  const { cloudflare, nameServer, echo, doh, control, entra } = description
  const { apiUrl, baseUrl, httpsUrl, zoneId, zoneName, dnsToken, adminToken } = cloudflare
  const hostname = `home.${zoneName}`
  const styled = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const title = (text: string) => `\n${styled('bold', text)}`
  const row = (label: string, content: string, note = '') =>
    `  ${label.padEnd(16)}${styled('cyan', content)}${note === '' ? '' : `  ${styled('dim', note)}`}`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    styled(
      'bold',
      'The Homeport sandbox is running: emulators of the services that Homeport calls, on this machine only.',
    ),
    title('Services'),
    row('home page', `${baseUrl}/`),
    row('DNS API', apiUrl),
    row('', `${httpsUrl}/client/v4`, '--ca FILE saves its certificate authority'),
    row('name server', `${nameServer.host}:${nameServer.port}`, 'UDP and TCP'),
    row('DoH resolvers', doh.join('  ')),
    row('address echoes', echo.join('  ')),
    ...(entra
      ? [row('sign-in', entra.instance, 'Entra'), row('directory', entra.graphUrl, 'Microsoft Graph')]
      : []),
    row('control', control, 'for tests'),
    title('Ids and tokens'),
    row('zone', `${zoneId}  ${zoneName}`),
    row('record', hostname),
    row('DNS token', dnsToken, 'can edit DNS in this zone'),
    row('admin token', adminToken, 'can do everything'),
    ...(entra
      ? [
          row('application', entra.clientId, `redirects to ${entra.redirectUri}`),
          row('client secret', entra.clientSecret, `tenant ${entra.tenantId}`),
        ]
      : []),
    title('List the record'),
    `  ${curlLine(description)}`,
    title('Query the name server'),
    `  ${digLine(description)}`,
    title('Change the address of the echoes'),
    `  curl -s -X PUT ${json} -d '{"address":"203.0.113.7"}' ${control}/echo`,
    title('Run the action once'),
    actionLines(description).replace(/^(?!http)/gm, '  '),
    title('Show the requests'),
    `  curl -s ${control}/journal`,
    `\n${styled('dim', 'Press Ctrl-C to stop. No data is kept.')}`,
  ]
  return `${lines.join('\n')}\n`
}
