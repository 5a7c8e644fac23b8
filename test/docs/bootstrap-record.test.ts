import { expect, it, onTestFinished } from 'vitest'
import { headingsOf } from '../../infra/bootstrap/steps.ts'
import { Services } from '../support/engine/services.ts'
import { timeLimit } from '../support/time-limit.ts'
import { blocksIn, leftOut, ran } from './page.ts'
import { createTokens, openStackTerminal } from './stack-terminal.ts'

const page = 'docs/deploy-record.md'
const hostname = 'new.example.com'

it(
  'docs/deploy-record.md leads from the top to a kept record, with no directory and nothing but Cloudflare',
  async () => {
    const services = await Services.start()
    onTestFinished(() => services.close())
    const pasted = await createTokens(services, ['DNS'])
    const terminal = await openStackTerminal(services, {
      pasted,
      fill: text => text.replace(/\bZONE_ID$/m, services.at.zoneId).replace('home.example.com', hostname),
    })
    let output = ''
    for (const heading of headingsOf(false).values())
      output = await terminal.follow(blocksIn(page, `## ${heading}`))
    const moved = { content: expect.not.stringMatching(/^192\.0\.2\.1$/) }
    expect(await services.record(hostname)).toMatchObject(moved)
    expect(await terminal.must('npm run -s bootstrap')).toContain('Nothing is missing.')
    expect(services.state.entra.applications).toEqual([])
    // A run that is killed can leave such a file empty, and then nothing reads the state.
    expect(await terminal.must('find "$HOME/homeport-state" -name "*.attrs"')).toBe('')

    // The page says how to give several hostnames, and the check how to adopt those that exist.
    const others = ['wiki.example.com', 'files.example.com']
    const body = { type: 'A', content: '192.0.2.1', ttl: 120, proxied: false }
    for (const name of others)
      await services.api('POST', `/zones/${services.at.zoneId}/dns_records`, { ...body, name })
    const set = 'pulumi config set --plaintext hostname "$HOMEPORT_HOSTNAME"'
    await terminal.must(`export HOMEPORT_HOSTNAME=${[hostname, ...others]}\n${set}`)
    for (const name of others) {
      const said = await terminal.must('npm run -s bootstrap')
      const command = /^ {2}To adopt it with its address, run (.+), for each record/m.exec(said)?.[1] ?? ''
      expect(command).toContain(`; ${name} A `)
      await terminal.must(command)
    }
    for (const text of ran) if (/^pulumi up|action\/dist/.test(text)) output += await terminal.must(text)
    expect(output).toContain('= 2 imported')
    // By the variable of the page.
    expect(output).toContain('(local: infra/policy)')
    for (const name of others) expect(await services.record(name)).toMatchObject(moved)
    expect(leftOut(page)).toEqual([])
  },
  timeLimit(300_000),
)
