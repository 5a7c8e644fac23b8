import { styleText } from 'node:util'
import type { SandboxDescription } from './sandbox.ts'

type Style = Parameters<typeof styleText>[0]

/** Quotes a word for a POSIX shell. */
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/**
 * The page that a person sees when the sandbox has started.
 * @param coloured whether the terminal shows colours
 */
export const welcome = (description: SandboxDescription, coloured: boolean): string => {
  const { cloudflare, nameServer, echo, control } = description
  const { apiUrl, baseUrl, zoneId, zoneName, dnsToken, adminToken } = cloudflare
  const hostname = `home.${zoneName}`
  const paint = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const title = (text: string) => `\n${paint('bold', text)}`
  const row = (label: string, content: string, note = '') =>
    `  ${label.padEnd(14)}${paint('cyan', content)}${note === '' ? '' : `  ${paint('dim', note)}`}`
  const json = "-H 'Content-Type: application/json'"
  const lines = [
    paint('bold', 'The sandbox serves, on this machine only, stand-ins for what the action talks to.'),
    title('Where'),
    row('DNS API', apiUrl),
    row('name server', `${nameServer.host}:${nameServer.port}`, 'UDP and TCP'),
    row('address echo', echo.join('  ')),
    row('test control', control),
    title('With what'),
    row('zone', `${zoneId}  ${zoneName}`),
    row('record', hostname),
    row('DNS token', dnsToken, 'writes DNS in this zone'),
    row('admin token', adminToken, 'may do everything'),
    title('Ask the API for the record'),
    `  curl -s -H ${quote(`Authorization: Bearer ${dnsToken}`)} ${quote(`${apiUrl}/zones/${zoneId}/dns_records?name=${hostname}`)}`,
    title('Ask the name server'),
    `  dig @${nameServer.host} -p ${nameServer.port} ${hostname} A +short`,
    title('Change the address that the echoes give'),
    `  curl -s -X PUT ${json} -d '{"address":"203.0.113.7"}' ${control}/echo`,
    title('Run the action once'),
    `  env ${quote(`INPUT_API-TOKEN=${dnsToken}`)} \\`,
    `    ${quote(`INPUT_ZONE-ID=${zoneId}`)} \\`,
    `    ${quote(`INPUT_HOSTNAME=${hostname}`)} \\`,
    `    ${quote(`INPUT_ADDRESS-SOURCES=${echo.join('\n')}`)} \\`,
    `    ${quote(`INPUT_BASE-URL=${baseUrl}`)} \\`,
    `    'INPUT_ALLOW-RESERVED-ADDRESS=true' RUNNER_ENVIRONMENT=self-hosted \\`,
    // Not npx: the shell between drops variables with hyphens in their names.
    '    node_modules/.bin/node action/dist/index.js',
    title('See what was asked'),
    `  curl -s ${control}/journal`,
    `\n${paint('dim', 'Nothing is kept when it ends. Ctrl-C ends it.')}`,
  ]
  return `${lines.join('\n')}\n`
}
