import * as cloudflare from '@pulumi/cloudflare'
import { Config } from '@pulumi/pulumi'
import { DynamicDns } from '../../../infra/resources/dynamic-dns.ts'

/** Two records and the token that may change them, in a program that has nothing else of Homeport. */
const config = new Config()
const apiToken = config.requireSecret('mintingToken')

const home = new DynamicDns('home', {
  zoneId: config.require('zone'),
  records: [
    { name: 'home.example.com', type: 'A' },
    { name: 'home.example.com', type: 'AAAA' },
  ],
  tokenName: 'home-dns',
  tokenRotation: '2026-11',
  minting: new cloudflare.Provider('minting', { apiToken }),
})

export const { recordIds, token } = home
