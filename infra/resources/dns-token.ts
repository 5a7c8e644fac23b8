import * as cloudflare from '@pulumi/cloudflare'
import type { Resource } from '@pulumi/pulumi'
import { dnsWrite, requireDnsWrite, type TokenLimits, tokenArguments } from './token-policy.ts'

export interface DnsTokenArgs {
  /** 32 hex digits. */
  readonly zoneId: string
  /** The account that owns the token, 32 hex digits; null for a token of the user who creates it. */
  readonly tokenAccountId: string | null
  /** Name of the token at the service. No other token may have it. A change keeps the token's value. */
  readonly tokenName: string
  /** Any text. Another one creates a new token. */
  readonly tokenRotation: string
  readonly tokenLimits: TokenLimits
  /** May create tokens, and is used for nothing else. */
  readonly minting: cloudflare.Provider
}

/** Declares a token that can write the DNS of one zone. @param name logical name */
export function createDnsToken(
  name: string,
  parent: Resource,
  { zoneId, tokenAccountId, tokenName, tokenRotation, tokenLimits, minting }: DnsTokenArgs,
): cloudflare.ApiToken | cloudflare.AccountToken {
  const asked = { name: dnsWrite.name, scope: dnsWrite.scope }
  const invokeOptions = { parent, provider: minting }
  const groups =
    tokenAccountId === null
      ? cloudflare.getApiTokenPermissionGroupsListOutput(asked, invokeOptions)
      : cloudflare.getAccountApiTokenPermissionGroupsListOutput(
          { accountId: tokenAccountId, ...asked },
          invokeOptions,
        )
  const groupId = groups.apply(({ results }) => requireDnsWrite(results))
  const shape = tokenArguments(tokenName, zoneId, tokenLimits, groupId)
  // The new token comes first, so that a run in progress can finish. Never add deleteBeforeReplace.
  const options = { parent, provider: minting, replacementTrigger: tokenRotation }
  return tokenAccountId === null
    ? new cloudflare.ApiToken(name, shape, options)
    : new cloudflare.AccountToken(name, { accountId: tokenAccountId, ...shape }, options)
}
