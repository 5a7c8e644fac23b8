import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Services } from '../support/engine/services.ts'
import { timeLimit } from '../support/time-limit.ts'
import { blocksIn, leftOut } from './page.ts'
import { azureCli } from './set-up.ts'
import { createTokens, openStackTerminal } from './stack-terminal.ts'
import type { Terminal } from './terminal.ts'

const page = 'docs/sign-in.md'

it(
  'docs/sign-in.md leads from a clone to the settings of a host, with a stack',
  async () => {
    const services = await Services.start()
    onTestFinished(() => services.close())
    const { entra } = services.sandbox.description
    const { deployer } = entra
    const pasted = await createTokens(services, ['DNS'])
    const terminal: Terminal = await openStackTerminal(
      services,
      {
        pasted,
        fill: text =>
          text
            .replace(/\bZONE_ID$/m, services.at.zoneId)
            .replaceAll('home.example.com', 'app.example.com')
            .replaceAll('/etc/homeport', `${terminal.folder}/etc/homeport`),
        programs: { az: azureCli(services), systemctl: '[ "$*" = "restart homeport-sign-in" ]' },
      },
      { instance: entra.instance.replace(/\/$/, ''), graphUrl: entra.graphUrl },
      `ARM_CLIENT_ID='${deployer.clientId}' ARM_CLIENT_SECRET='${deployer.clientSecret}' ARM_TENANT_ID='${entra.tenantId}' ARM_USE_CLI=false`,
    )
    await terminal.must('install -d -m 700 /etc/homeport')
    const blocks = blocksIn(page, '## With a stack')
    await terminal.follow(blocks)
    const folder = join(terminal.folder, 'etc/homeport')
    const settings = await readFile(join(folder, 'homeport.env'), 'utf8')
    expect(settings).toContain('REDIRECT_URI=https://app.example.com/_homeport/auth/callback\n')
    expect(settings).toContain('SESSION_RECHECK=1h\n')
    expect(await readFile(join(folder, 'session-keys'), 'utf8')).toMatch(/\S+:\S{43}/)
    await terminal.follow(blocksIn('docs/operate.md', '## Settings from a Pulumi stack'))
    const commands = blocks.filter(({ language }) => language === 'sh')
    expect(leftOut(page, commands)).toEqual([])
  },
  timeLimit(300_000),
)
