import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionCookie } from '../../../src/http/cookies.ts'
import { type Person, runtimes, type Stage, startStage } from '../support/stage.ts'

/** Prefixes with which a browser no longer protects `__Host-`, so a sibling host can set the cookie with `Domain=`. */
const lookalikes = [
  ['a no-break space as one byte', '\xa0'],
  ['a next line as one byte', '\x85'],
  ['a no-break space in UTF-8', '\xc2\xa0'],
  ['an en quad (U+2000) in UTF-8', '\xe2\x80\x80'],
  ['an ideographic space in UTF-8', '\xe3\x80\x80'],
  ['a byte order mark in UTF-8', '\xef\xbb\xbf'],
  ['a line separator in UTF-8', '\xe2\x80\xa8'],
  ['an equals sign, the form of a cookie without a name', '='],
  ['a quotation mark', '"'],
  ['a comma', ','],
  ['a plus sign', '+'],
  ['an encoded space', '%20'],
] as const

/** Spellings that a proxy or a case-insensitive reader could fold into the name. */
const otherSpellings = [
  sessionCookie.toLowerCase(),
  sessionCookie.toUpperCase(),
  sessionCookie.replaceAll('-', '_'),
  sessionCookie.replaceAll('_', '%5F'),
  `$${sessionCookie}`,
  `${sessionCookie}\xa0`,
  `${sessionCookie}[]`,
]

/** Asks for the session with a Cookie header sent byte for byte. Returns the status and the body. */
function askSession(origin: string, cookie: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(new URL('/api/session', origin), { headers: { cookie } }, response => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asking.on('error', reject).end()
  })
}

describe.each(runtimes)('a cookie whose name only resembles ours, on %s', runtime => {
  let stage: Stage
  let victim: string
  let attacker: string
  let victimName: string
  beforeAll(async () => {
    stage = await startStage(runtime)
    const signedIn = async ({ account }: Person) => {
      const visitor = stage.visitor()
      expect((await visitor.signIn(account)).status).toBe(200)
      return visitor.cookie('session') ?? ''
    }
    const owner = await stage.hire()
    victimName = owner.userName
    victim = await signedIn(owner)
    attacker = await signedIn(await stage.hire())
  })
  afterAll(() => stage?.close())

  it.each(lookalikes)(
    'is not accepted as a session with %s in front, and does not hide the real one',
    async (_, prefix) => {
      const planted = `${prefix}${sessionCookie}=${attacker}`
      expect((await askSession(stage.origin, planted)).status).toBe(401)
      const answer = await askSession(stage.origin, `${planted}; ${sessionCookie}=${victim}`)
      expect([answer.status, JSON.parse(answer.text).user?.username]).toEqual([200, victimName])
    },
  )

  it.each(otherSpellings)('is not accepted as a session when spelled %j', async name => {
    expect((await askSession(stage.origin, `${name}=${attacker}`)).status).toBe(401)
  })
})
