/** Where the default provider finds the DNS service, and what it sends. */
export interface DnsService {
  readonly baseUrl: string
  /** Undefined if neither the stack nor the environment has one. */
  readonly apiToken: string | undefined
}

export const publicUrl = 'https://api.cloudflare.com/client/v4'
