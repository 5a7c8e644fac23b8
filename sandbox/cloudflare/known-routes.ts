/** What Cloudflare's API has below a zone, below an account and at its top, as the types of SDK 7.3.0 name it. */
const families: Readonly<Record<string, readonly string[]>> = {
  zones: (
    'access acm activation_check addressing ai-audit ai-security api_gateway argo available_plans ' +
    'available_rate_plans bot_management cache certificate_authorities client_certificates cloud_connector ' +
    'content-upload-scan ct custom_certificates custom_hostnames custom_ns dcv_delegation devices ' +
    'dns_analytics dns_records dns_settings dnssec email entitlements environments filters firewall ' +
    'fraud_detection healthchecks hold hostnames intel invalidate_cache keyless_certificates ' +
    'leaked-credential-checks load_balancers logpush logs managed_headers observability origin ' +
    'origin_tls_client_auth page_shield pagerules precursor purge_cache rate_limits rulesets ' +
    'schema_validation secondary_dns security-center settings snippets spectrum speed_api ssl subscription ' +
    'tags token_validation url_normalization waiting_rooms web3 workers'
  ).split(' '),
  accounts: (
    'abuse-reports access addressing ai ai-gateway ai-search alerting analytics audit_logs basin-catalog ' +
    'billable billable-usage billing botnet_feed brand-protection browser-rendering bulk calls cfd_tunnel ' +
    'challenges client-secret cloudforce-one cni connectivity containers custom_ns d1 data-security devices ' +
    'dex diagnostics dlp dls dns_firewall dns_records dns_settings email email-security entitlements ' +
    'event_notifications event_subscriptions field_extractors flagship gateway hyperdrive iam images ' +
    'infrastructure intel invoices load_balancers logpush logs magic managed-defense members mnm moq ' +
    'mtls_certificates oauth_clients one pages pay-bad-debt pay-invoice payment-methods pcaps pipelines ' +
    'queues r2 r2-catalog realtime receipts registrar registrar-sandbox request-tracer resource-library roles ' +
    'rules rulesets rum secondary_dns secrets_store security-center settings shares slurper sso_connectors ' +
    'storage stream subscriptions tags teamnet tokens tunnels urlscanner vectorize vuln_scanner ' +
    'warp_connector workers workflows zerotrust zt_risk_scoring'
  ).split(' '),
}
const top = 'certificates domain-check graphql ips memberships organizations radar tenants user'.split(' ')

/** Returns the part of Cloudflare's API that a path belongs to, such as `zones/:id/settings`; null if it is in none. */
export function familyOfRoute(path: string): string | null {
  const [first = '', , below = ''] = path.replace(/^\/client\/v4\//, '').split('/')
  if (top.includes(first)) return first
  const known = Object.hasOwn(families, first) ? families[first] : undefined
  return known?.includes(below) ? `${first}/:id/${below}` : null
}
