import type { Browser, Page } from 'playwright-core'
import { publicOrigin } from '../support/engine/stack.ts'
import { press, refusal, startBrowser } from './browser.ts'
import { Deployment, nobody } from './deployment.ts'
import { type Check, same } from './story.ts'

const host = new URL(publicOrigin).host

/** The handler is a Worker on its own host, with a database. */
export class WorkerDeployment extends Deployment {
  override readonly config = {}
  override readonly origin = publicOrigin
  override readonly redirectUris = [`${publicOrigin}/auth/callback`]
  override readonly deepLink = '/dashboard?week=47'
  override readonly databasesLeft = 1

  override async openHandler(): Promise<readonly Check[]> {
    const { apiUrl } = this.services.at
    const migrated = await this.afterUp({ CLOUDFLARE_API_URL: apiUrl })
    const health = await this.services.askWorker(publicOrigin, '/healthz')
    return [migrated, same(`${host}/healthz`, [health.status, health.body], [200, '{"status":"ok"}'])]
  }

  override openBrowser(): Promise<Browser> {
    const { https, ca } = this.services.sandbox.description
    return startBrowser([host], `${https.host}:${https.port}`, ca)
  }

  override employees(...command: string[]): Promise<string> {
    return this.stack.employees(...command)
  }

  override async visit(page: Page, path: string): Promise<void> {
    await page.goto(`${publicOrigin}/?return=${path}`)
    await press(page, 'Sign in')
  }

  override nameSeen(page: Page): Promise<string> {
    return page.evaluate<string>(
      `fetch('/api/session').then(async answer => answer.ok ? (await answer.json()).user.username : '${nobody}')`,
    )
  }

  override async turnedAway(page: Page): Promise<string> {
    await page.goto(`${publicOrigin}/`)
    await press(page, 'Sign in')
    return refusal(page)
  }

  override async left(): Promise<readonly Check[]> {
    const { accountId } = this.services.at
    const [database] = await this.services.api<{ uuid: string }[]>(
      'GET',
      `/accounts/${accountId}/d1/database`,
    )
    const path = `/accounts/${accountId}/d1/database/${database?.uuid}/query`
    const sql = 'SELECT user_name FROM employees ORDER BY 1'
    const [rows] = await this.services.api<{ results: { user_name: string }[] }[]>('POST', path, { sql })
    const names = rows?.results.map(({ user_name }) => user_name)
    return [same('employees', names, ['alice', 'bob', 'carol']), same(host, await this.served(host), [])]
  }
}
