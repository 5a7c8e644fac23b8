import type { SandboxDescription } from '../sandbox.ts'

/** A block of lines to copy, and what it does. */
export type Lines = { readonly title: string; readonly text: string; readonly note?: string }

/** Quotes a word for a POSIX shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

const hostnameOf = ({ cloudflare }: SandboxDescription): string => `home.${cloudflare.zoneName}`

/** Asks the API for the first record. */
export const curlLine = (description: SandboxDescription): string => {
  const { apiUrl, zoneId, dnsToken } = description.cloudflare
  const url = `${apiUrl}/zones/${zoneId}/dns_records?name=${hostnameOf(description)}`
  return `curl -s -H ${quote(`Authorization: Bearer ${dnsToken}`)} ${quote(url)}`
}

/** Asks the name server for it. */
export const digLine = (description: SandboxDescription): string => {
  const { host, port } = description.nameServer
  return `dig @${host} -p ${port} ${hostnameOf(description)} A +short`
}

/** Runs the action once, from the repository's root. */
export const actionLines = (description: SandboxDescription): string => {
  const { baseUrl, zoneId, dnsToken } = description.cloudflare
  return [
    `env ${quote(`INPUT_API-TOKEN=${dnsToken}`)} \\`,
    `  ${quote(`INPUT_ZONE-ID=${zoneId}`)} \\`,
    `  ${quote(`INPUT_HOSTNAME=${hostnameOf(description)}`)} \\`,
    `  ${quote(`INPUT_ADDRESS-SOURCES=${description.echo.join('\n')}`)} \\`,
    `  ${quote(`INPUT_BASE-URL=${baseUrl}`)} \\`,
    `  'INPUT_ALLOW-RESERVED-ADDRESS=true' RUNNER_ENVIRONMENT=self-hosted \\`,
    // Not npx: the shell between drops variables with hyphens in their names.
    '  node_modules/.bin/node action/dist/index.js',
  ].join('\n')
}

const dohLine = (description: SandboxDescription): string =>
  `curl -s -H 'Accept: application/dns-json' ${quote(`${description.doh[0]}?name=${hostnameOf(description)}&type=A`)}`

const sdkLines = (description: SandboxDescription): string => {
  const { apiUrl, zoneId, dnsToken } = description.cloudflare
  return [
    "import Cloudflare from 'cloudflare'",
    '',
    'const client = new Cloudflare({',
    `  apiToken: '${dnsToken}',`,
    `  baseURL: '${apiUrl}',`,
    '})',
    `for await (const record of client.dns.records.list({ zone_id: '${zoneId}' })) {`,
    '  console.log(record.type, record.name)',
    '}',
  ].join('\n')
}

const terraformLines = (description: SandboxDescription): string => {
  const { apiUrl, zoneId, adminToken } = description.cloudflare
  return [
    'provider "cloudflare" {',
    `  base_url  = "${apiUrl}"`,
    `  api_token = "${adminToken}"`,
    '}',
    '',
    'resource "cloudflare_dns_record" "www" {',
    `  zone_id = "${zoneId}"`,
    `  name    = "www.${description.cloudflare.zoneName}"`,
    '  type    = "A"',
    '  content = "192.0.2.30"',
    '  ttl     = 120',
    '}',
  ].join('\n')
}

const pulumiLines = (description: SandboxDescription): string => {
  const { apiUrl, adminToken } = description.cloudflare
  return [
    `pulumi config set cloudflare:baseUrl ${apiUrl}`,
    `pulumi config set --secret cloudflare:apiToken ${adminToken}`,
    'pulumi up',
  ].join('\n')
}

const workerLines = (description: SandboxDescription): string => {
  const { apiUrl, accountId, adminToken } = description.cloudflare
  const scripts = `${apiUrl}/accounts/${accountId}/workers/scripts/hello`
  return [
    `printf '%s' 'export default { fetch: () => new Response("hello\\n") }' > worker.js`,
    `curl -s -X PUT -H ${quote(`Authorization: Bearer ${adminToken}`)} \\`,
    `  -F 'metadata={"main_module":"worker.js"};type=application/json' \\`,
    `  -F 'worker.js=@worker.js;type=application/javascript+module' \\`,
    `  ${quote(scripts)}`,
  ].join('\n')
}

const domainLines = (description: SandboxDescription): string => {
  const { apiUrl, accountId, adminToken, zoneId, zoneName, baseUrl } = description.cloudflare
  const hostname = `hello.${zoneName}`
  const body = JSON.stringify({ hostname, service: 'hello', zone_id: zoneId })
  return [
    `curl -s -X PUT -H ${quote(`Authorization: Bearer ${adminToken}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quote(body)} ${quote(`${apiUrl}/accounts/${accountId}/workers/domains`)}`,
    `curl -s -H ${quote(`Host: ${hostname}`)} ${baseUrl}/`,
  ].join('\n')
}

/** What the page offers to copy, in the order of the page. */
export const linesToCopy = (description: SandboxDescription): Lines[] => [
  { title: 'curl', text: curlLine(description) },
  { title: 'dig', text: digLine(description) },
  { title: 'DNS over HTTPS', text: dohLine(description) },
  { title: 'The official SDK', text: sdkLines(description), note: 'npm install cloudflare' },
  {
    title: 'Terraform',
    text: terraformLines(description),
    note: 'Provider cloudflare/cloudflare, version 5.',
  },
  {
    title: 'Pulumi',
    text: pulumiLines(description),
    note: 'In a program that uses @pulumi/cloudflare, version 6.',
  },
  { title: 'The action', text: actionLines(description), note: "From the repository's root." },
  { title: 'A Worker', text: workerLines(description) },
  { title: 'Its custom domain', text: domainLines(description) },
]
