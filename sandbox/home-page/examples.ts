import type { SandboxDescription } from '../description.ts'

/** An example to copy. */
export interface Example {
  readonly title: string
  readonly text: string
  readonly note?: string
}

/** Quotes a word for a POSIX shell. */
export const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

const hostnameOf = ({ cloudflare }: SandboxDescription): string => `home.${cloudflare.zoneName}`

/** Returns a command that lists the initial record. */
export function curlLine(description: SandboxDescription): string {
  const { apiUrl, zoneId, dnsToken } = description.cloudflare
  const url = `${apiUrl}/zones/${zoneId}/dns_records?name=${hostnameOf(description)}`
  return `curl -s -H ${quote(`Authorization: Bearer ${dnsToken}`)} ${quote(url)}`
}

/** Returns a command that queries the initial record from the name server. */
export function digLine(description: SandboxDescription): string {
  const { host, port } = description.nameServer
  return `dig @${host} -p ${port} ${hostnameOf(description)} A +short`
}

/** Returns a command that runs the action once, in the root of the repository. */
export function actionLines(description: SandboxDescription): string {
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

const dohLine = (description: SandboxDescription): string =>
  `curl -s -H 'Accept: application/dns-json' ${quote(`${description.doh[0]}?name=${hostnameOf(description)}&type=A`)}`

function sdkLines(description: SandboxDescription): string {
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

function terraformLines(description: SandboxDescription): string {
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

function pulumiLines(description: SandboxDescription): string {
  const { apiUrl, adminToken } = description.cloudflare
  return [
    `pulumi config set cloudflare:baseUrl ${apiUrl}`,
    `pulumi config set --secret cloudflare:apiToken ${adminToken}`,
    'pulumi up',
  ].join('\n')
}

function workerLines(description: SandboxDescription): string {
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

function domainLines(description: SandboxDescription): string {
  const { apiUrl, accountId, adminToken, zoneId, zoneName, baseUrl } = description.cloudflare
  const hostname = `hello.${zoneName}`
  const body = JSON.stringify({ hostname, service: 'hello', zone_id: zoneId })
  return [
    `curl -s -X PUT -H ${quote(`Authorization: Bearer ${adminToken}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quote(body)} ${quote(`${apiUrl}/accounts/${accountId}/workers/domains`)}`,
    `curl -s -H ${quote(`Host: ${hostname}`)} ${baseUrl}/`,
  ].join('\n')
}

/** Returns the examples in the order of the home page. */
export const examplesFor = (description: SandboxDescription): Example[] => [
  { title: 'curl', text: curlLine(description) },
  { title: 'dig', text: digLine(description) },
  { title: 'DNS over HTTPS', text: dohLine(description) },
  { title: 'The official SDK', text: sdkLines(description), note: 'npm install cloudflare' },
  {
    title: 'Terraform',
    text: terraformLines(description),
    note: 'Provider cloudflare/cloudflare, version 5',
  },
  {
    title: 'Pulumi',
    text: pulumiLines(description),
    note: 'In a program with @pulumi/cloudflare, version 6',
  },
  { title: 'The action', text: actionLines(description), note: 'In the root of the repository' },
  { title: 'Upload a Worker', text: workerLines(description) },
  { title: 'Add a custom domain', text: domainLines(description) },
]
