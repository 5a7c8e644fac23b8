import * as cloudflare from '@pulumi/cloudflare'
import { Config } from '@pulumi/pulumi'
import { DynamicDns } from '../../../infra/resources/dynamic-dns.ts'

/** Two records and the token that may change them, in a program that has nothing else of Homeport. */
const config = new Config()
const apiToken = config.requireSecret('mintingToken')
const { CLOUDFLARE_API_TOKEN: deployToken = null, CLOUDFLARE_BASE_URL: baseUrl } = process.env

const home = new DynamicDns('home', {
  zoneId: config.require('zone'),
  records: [
    { name: 'home.example.com', type: 'A', bootstrapAddress: '192.0.2.1', importId: null },
    { name: 'home.example.com', type: 'AAAA', bootstrapAddress: '100::', importId: null },
  ],
  tokenAccountId: null,
  tokenName: 'home-dns',
  tokenRotation: '2026-11',
  tokenLimits: { expiresOn: null, allowedCidrs: [] },
  minting: new cloudflare.Provider('minting', { apiToken }),
  cloudflareAccess: { baseUrl: baseUrl || 'https://api.cloudflare.com/client/v4', apiToken: deployToken },
})

export const { recordIds, token } = home
