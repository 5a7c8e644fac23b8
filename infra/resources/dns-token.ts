import * as cloudflare from '@pulumi/cloudflare'
import { Config, type Input, type Resource, RunError } from '@pulumi/pulumi'
import { quoteValue } from '../../lib/quote.ts'
import { tokenNameOf } from '../resource-names.ts'
import { dnsWrite, requireDnsWrite, type TokenLimits, tokenArguments } from './token-policy.ts'

export interface DnsTokenArgs {
  /** 32 hex digits. */
  readonly zoneId: string
  /** The account that owns the token, 32 hex digits. Without it, the token is the user's who creates it. */
  readonly tokenAccountId?: string | null
  /** Name of the token at Cloudflare. No other token may have it. A change keeps the token's value. */
  readonly tokenName: string
  /** Any text. A change creates a new token. */
  readonly tokenRotation?: string
  readonly tokenLimits?: TokenLimits
  /** May create tokens, and is used for nothing else. */
  readonly minting: cloudflare.Provider
}

/** Declares the provider of tokens. @param apiToken secret; may create tokens */
export function createMinting(name: string, apiToken: Input<string>): cloudflare.Provider {
  const baseUrl = new Config('cloudflare').get('baseUrl')
  // An explicit provider does not inherit it.
  return new cloudflare.Provider(name, { apiToken, ...(baseUrl === undefined ? {} : { baseUrl }) })
}

/** Declares a token that can write the DNS of one zone. @param name logical name; a rotation adds to it */
export function createDnsToken(
  name: string,
  parent: Resource,
  { zoneId, tokenAccountId = null, tokenName, tokenRotation, tokenLimits = {}, minting }: DnsTokenArgs,
): cloudflare.ApiToken | cloudflare.AccountToken {
  const asked = { name: dnsWrite.name, scope: dnsWrite.scope }
  const invokeOptions = { parent, provider: minting }
  const groups =
    tokenAccountId === null
      ? cloudflare.getApiTokenPermissionGroupsList(asked, invokeOptions)
      : cloudflare.getAccountApiTokenPermissionGroupsList(
          { accountId: tokenAccountId, ...asked },
          invokeOptions,
        )
  const groupId = groups.then(({ results }) => requireDnsWrite(results), refuseMinting)
  const shape = tokenArguments(tokenName, zoneId, tokenLimits, groupId)
  const named = tokenNameOf(name, tokenRotation)
  const options = { parent, provider: minting }
  return tokenAccountId === null
    ? new cloudflare.ApiToken(named, shape, options)
    : new cloudflare.AccountToken(named, { accountId: tokenAccountId, ...shape }, options)
}

/** @throws RunError, of which the CLI prints no stack trace */
function refuseMinting(error: unknown): never {
  throw new RunError(
    `The permission groups could not be read with mintingApiToken: ${quoteValue(String(error))}. If Cloudflare refused the token, create another one from the template "Create additional tokens", and set it: pulumi config set --secret mintingApiToken`,
  )
}
