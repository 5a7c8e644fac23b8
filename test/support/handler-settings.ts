import type { FullDescription } from '../../sandbox/sandbox.ts'
import { createSessionKey } from '../../src/session/keys.ts'

type Tenant = Pick<
  FullDescription['entra'],
  'instance' | 'graphUrl' | 'tenantId' | 'clientId' | 'clientSecret'
>

/** Returns what a handler needs to sign people in at the emulated provider, but for its store and its port. */
export const handlerSettings = (
  { instance, graphUrl, tenantId, clientId, clientSecret }: Tenant,
  redirectUri: string,
) => ({
  TENANT_ID: tenantId,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  INSTANCE: instance,
  GRAPH_URL: graphUrl,
  REDIRECT_URI: redirectUri,
  SESSION_KEYS: createSessionKey(new Date()),
  ALLOWED_DOMAINS: 'example.com',
})
