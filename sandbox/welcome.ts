import { styleText } from 'node:util'
import { actionLines, curlLine, digLine } from './home-page/examples.ts'
import type { SandboxDescription } from './sandbox.ts'

type Style = Parameters<typeof styleText>[0]

/**
 * The page that a person sees when the sandbox has started.
 * @param coloured whether the terminal shows colours
 */
export const welcome = (description: SandboxDescription, coloured: boolean): string => {
  const { cloudflare, nameServer, echo, doh, control, entra } = description
  const { apiUrl, baseUrl, httpsUrl, zoneId, zoneName, dnsToken, adminToken } = cloudflare
  const hostname = `home.${zoneName}`
  const paint = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const title = (text: string) => `\n${paint('bold', text)}`
  const row = (label: string, content: string, note = '') =>
    `  ${label.padEnd(14)}${paint('cyan', content)}${note === '' ? '' : `  ${paint('dim', note)}`}`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    paint('bold', 'The sandbox serves, on this machine only, stand-ins for what Homeport talks to.'),
    title('Where'),
    row('a page', `${baseUrl}/`, 'for a browser'),
    row('DNS API', apiUrl),
    row('', `${httpsUrl}/client/v4`, 'its CA: --ca FILE'),
    row('name server', `${nameServer.host}:${nameServer.port}`, 'UDP and TCP'),
    row('DNS by HTTPS', doh.join('  ')),
    row('address echo', echo.join('  ')),
    ...(entra
      ? [row('sign-in', entra.instance, 'as Entra'), row('directory', entra.graphUrl, 'as Graph')]
      : []),
    row('test control', control),
    title('With what'),
    row('zone', `${zoneId}  ${zoneName}`),
    row('record', hostname),
    row('DNS token', dnsToken, 'writes DNS in this zone'),
    row('admin token', adminToken, 'may do everything'),
    ...(entra
      ? [
          row('application', entra.clientId, `returns to ${entra.redirectUri}`),
          row('its secret', entra.clientSecret, `tenant ${entra.tenantId}`),
        ]
      : []),
    title('Ask the API for the record'),
    `  ${curlLine(description)}`,
    title('Ask the name server'),
    `  ${digLine(description)}`,
    title('Change the address that the echoes give'),
    `  curl -s -X PUT ${json} -d '{"address":"203.0.113.7"}' ${control}/echo`,
    title('Run the action once'),
    actionLines(description).replace(/^(?!http)/gm, '  '),
    title('See what was asked'),
    `  curl -s ${control}/journal`,
    `\n${paint('dim', 'Nothing is kept when it ends. Ctrl-C ends it.')}`,
  ]
  return `${lines.join('\n')}\n`
}
