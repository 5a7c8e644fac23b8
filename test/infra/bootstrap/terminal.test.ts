import { expect, it } from 'vitest'
import { readTerminal } from '../../../infra/bootstrap/terminal.ts'
import { daysAgo } from '../../support/configuration.ts'
import { missingIn } from '../support/bootstrap.ts'

const id = 'a'.repeat(32)
const complete = {
  CLOUDFLARE_ZONE_ID: id,
  CLOUDFLARE_ACCOUNT_ID: id,
  HOMEPORT_HOSTNAME: 'home.example.com',
  HOMEPORT_ORIGIN: 'https://people.example.com',
  HOMEPORT_DOMAIN: 'example.com',
  HOMEPORT_TOKENS_END: daysAgo(-300),
}
const token = 'cfut_0123456789abcdefghijklmnopqrstuvwxyz0123456789'

it.each<[string, NodeJS.ProcessEnv, readonly string[]]>([
  ['nothing that is missing', {}, []],
  ['nothing of a Worker for a record alone', { HOMEPORT_SIGN_IN: 'none', HOMEPORT_ORIGIN: '' }, []],
  [
    'an account for an endpoint',
    { HOMEPORT_SIGN_IN: 'none', HOMEPORT_PUSH: 'worker', CLOUDFLARE_ACCOUNT_ID: '' },
    ['CLOUDFLARE_ACCOUNT_ID is missing'],
  ],
  ['a sign-in that nothing is called', { HOMEPORT_SIGN_IN: 'non' }, ['HOMEPORT_SIGN_IN is "non"']],
  [
    'what a Worker needs',
    { HOMEPORT_ORIGIN: '', HOMEPORT_TOKENS_END: '' },
    ['HOMEPORT_ORIGIN is missing', 'HOMEPORT_TOKENS_END is missing'],
  ],
  [
    'the hostname as the origin',
    { HOMEPORT_ORIGIN: 'https://home.example.com' },
    ['HOMEPORT_ORIGIN has the host home.example.com'],
  ],
  ['an end that has passed', { HOMEPORT_TOKENS_END: daysAgo(1) }, ['HOMEPORT_TOKENS_END is in the past']],
  ['a token in the place of an ID', { CLOUDFLARE_ZONE_ID: token }, ['CLOUDFLARE_ZONE_ID is ']],
])('the terminal is asked for %s', (_, changes, expected) => {
  const texts = missingIn(readTerminal({ ...complete, ...changes }).findings)
  expect(texts).toEqual(expected.map(start => expect.stringContaining(start)))
  expect(texts.join()).not.toContain(token)
})
